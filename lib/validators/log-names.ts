const longest = 60;

/** A file name for the log of each check: safe, readable, and no two alike, also where letter case does not count. */
export function nameLogs(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const slug = slugOf(name);
    let file = `${slug}.log`;
    for (let count = 2; taken.has(file.toLowerCase()); count += 1) file = `${slug}-${count}.log`;
    taken.add(file.toLowerCase());
    return file;
  });
}

function slugOf(name: string): string {
  const slug = name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, longest)
    .replace(/^[-.]+|[-.]+$/g, "");
  return slug === "" ? "check" : slug;
}
