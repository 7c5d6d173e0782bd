/** The columns of every report, in order: a title, and the text of one order's cell. */
export const columns = [
  { title: "id", text: (order) => order.id },
  { title: "customer", text: (order) => order.customer },
  { title: "note", text: (order) => order.note },
  { title: "amount", text: (order) => formatCents(order.cents) },
];

function formatCents(cents) {
  const sign = cents < 0 ? "-" : "";
  const digits = String(Math.abs(cents)).padStart(3, "0");
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
