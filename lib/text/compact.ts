/** The items without `false`, so that a list can have an item by a condition: `test && item`. */
export function compact<Item>(items: readonly (Item | false)[]): Item[] {
  return items.filter((item) => item !== false) as Item[];
}
