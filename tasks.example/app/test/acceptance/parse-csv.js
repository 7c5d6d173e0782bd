/** A strict reader of RFC 4180: throws on everything that the standard does not allow. Rows of fields. */
export function parseCsv(text) {
  const rows = [];
  let row = [];
  let at = 0;
  while (at < text.length) {
    const field = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at);
    row.push(field.value);
    at = field.end;
    if (text[at] === ",") {
      at += 1;
    } else if (text.startsWith("\r\n", at)) {
      rows.push(row);
      row = [];
      at += 2;
    } else {
      throw new Error(`row ${rows.length + 1}: expected a comma or CR LF, found ${JSON.stringify(text.slice(at, at + 20))}`);
    }
  }
  return rows;
}

function readPlain(text, start) {
  const [value] = /^[^",\r\n]*/.exec(text.slice(start));
  return { value, end: start + value.length };
}

function readQuoted(text, start) {
  const found = /^"((?:[^"]|"")*)"/.exec(text.slice(start));
  if (found === null) throw new Error(`a quote that never closes: ${JSON.stringify(text.slice(start, start + 20))}`);
  return { value: found[1].replaceAll('""', '"'), end: start + found[0].length };
}
