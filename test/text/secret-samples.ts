import { createRedactor } from "../../lib/text/redact.ts";

export const plain = createRedactor({});
export const letters = (count: number): string => "aB3dE6gH9k".repeat(Math.ceil(count / 10)).slice(0, count);
export const base64Lines = (lines: number): string =>
  `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj+/AgEAAoIBAQDR0123456789\n".repeat(lines)}`;
export const pem = (lines: number): string =>
  `-----BEGIN RSA PRIVATE KEY-----\n${base64Lines(lines)}-----END RSA PRIVATE KEY-----`;

// Put together here, so that no scanner of this repository takes them for real.
export const tokens: Record<string, string> = {
  anthropic: `sk-ant-api03-${letters(80)}-AA`,
  openai: `sk-proj-${letters(40)}_${letters(30)}`,
  github: `ghp_${letters(36)}`,
  gitlab: `glpat-${letters(20)}`,
  aws: `AKIA${"IOSFODNN7EXAMPLE"}`,
  google: `AIza${letters(35)}`,
  slack: `xoxb-${"1234567890"}-${letters(24)}`,
  npm: `npm_${letters(36)}`,
  stripe: `sk_live_${letters(24)}`,
  huggingface: `hf_${letters(34)}`,
  pypi: `pypi-AgEIcHlwaS5vcmc${letters(60)}`,
  jwt: `eyJ${letters(20)}.eyJ${letters(40)}.${letters(43)}`,
  "private-key": pem(20),
};
