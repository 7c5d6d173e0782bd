import { start, type TokenShape, word, wordLine } from "./token-shapes.ts";

const hex = "0-9a-f";
const upper = "A-Z0-9";
const lower = "a-z0-9";

/** Prefix, following characters, and their least number: below any known token, above names in programs. */
const prefixed: readonly (readonly [shape: string, prefixes: string, characters: string, atLeast: number])[] = [
  ["anthropic", "sk-ant-", wordLine, 16],
  ["openai", "sk-proj-|sk-svcacct-|sk-admin-|sk-None-|sk-service-", wordLine, 16],
  ["openrouter", "sk-or-v1-", wordLine, 16],
  ["langfuse", "sk-lf-", `${hex}-`, 30],
  ["openai", "sk-|sess-", word, 20],
  ["github", "github_pat_", `${word}_`, 20],
  [
    "gitlab",
    "glpat-|gldt-|glrt-|glrtr-|glcbt-|glptt-|glft-|glimt-|glagent-|glsoat-|gloas-|glwt-|glffct-|GR1348941",
    `${wordLine}.`,
    16,
  ],
  ["aws", "AKIA|ASIA|ABIA|ACCA", upper, 16],
  ["aws", "ABSKQmVkcm9ja0FQSUtleS|bedrock-api-key-", `${word}+/=_\\-`, 40],
  ["google", "AIza", wordLine, 30],
  ["google", "ya29.", `${wordLine}.`, 20],
  ["google", "GOCSPX-", wordLine, 20],
  ["google", "1//0", wordLine, 30],
  ["google", "AQ.Ab8", wordLine, 30],
  ["slack", "xoxa-|xoxb-|xoxc-|xoxd-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-|xoxe.xoxp-|xoxe.xoxb-", `${word}\\-%`, 10],
  ["slack", "xapp-|xwfp-", `${word}\\-`, 20],
  ["npm", "npm_", word, 30],
  ["stripe", "sk_live_|sk_test_|rk_live_|rk_test_|sk_prod_|rk_prod_", word, 10],
  ["stripe", "whsec_", `${word}+/=`, 20],
  ["huggingface", "hf_|api_org_", word, 30],
  ["pypi", "pypi-AgE", wordLine, 16],
  ["docker", "dckr_pat_|dckr_oat_", wordLine, 20],
  ["digitalocean", "dop_v1_|doo_v1_|dor_v1_", hex, 40],
  ["mailgun", "key-", hex, 32],
  ["databricks", "dapi", hex, 32],
  ["linear", "lin_api_|lin_oauth_", word, 30],
  ["groq", "gsk_", word, 40],
  ["xai", "xai-", word, 40],
  ["perplexity", "pplx-", word, 30],
  ["replicate", "r8_", word, 37],
  ["cerebras", "csk-", lower, 30],
  ["together", "tgp_v1_", wordLine, 30],
  ["elevenlabs", "sk_", hex, 40],
  ["langsmith", "lsv2_pt_|lsv2_sk_", `${hex}_`, 32],
  ["tavily", "tvly-", wordLine, 30],
  ["pinecone", "pcsk_", `${word}_`, 40],
  ["vercel", "vcp_|vci_|vca_|vcr_|vck_", word, 24],
  ["netlify", "nfp_|nfc_|nfo_|nfb_|nfu_", word, 30],
  ["fly", "fo1_|fm1a_|fm1r_|fm2_", `${wordLine}+/=`, 40],
  ["supabase", "sbp_", `${hex}v_`, 36],
  ["supabase", "sb_secret_", wordLine, 20],
  ["shopify", "shpat_|shpca_|shppa_|shpss_|shpua_|shptka_", "0-9a-fA-F", 32],
  ["atlassian", "ATATT3|ATCTT3", `${wordLine}=`, 40],
  ["atlassian", "ATBB", `${wordLine}=`, 24],
  ["doppler", "dp.pt.|dp.st.|dp.ct.|dp.sa.|dp.said.|dp.scim.|dp.audit.", `${wordLine}.`, 40],
  ["vault", "hvs.|hvb.|hvr.", wordLine, 24],
  ["age", "AGE-SECRET-KEY-1", upper, 50],
  ["onepassword", "ops_eyJ", `${wordLine}=`, 40],
  ["nuget", "oy2", lower, 43],
  ["rubygems", "rubygems_", hex, 40],
  ["grafana", "glsa_", `${word}_`, 32],
  ["grafana", "glc_eyJ", `${word}+/=`, 20],
  ["newrelic", "NRAK-|NRJS-|NRII-|NRAA-", word, 19],
  ["sentry", "sntrys_eyJ", `${word}+/=_`, 20],
  ["sentry", "sntryu_", hex, 60],
  ["postman", "PMAK-", `${hex}-`, 50],
  ["pulumi", "pul-", hex, 40],
  ["planetscale", "pscale_tkn_|pscale_pw_|pscale_oauth_", `${wordLine}.`, 30],
  ["notion", "ntn_", word, 40],
  ["figma", "figd_|figo_", wordLine, 36],
  ["square", "sq0atp-|sq0csp-", wordLine, 20],
  ["razorpay", "rzp_live_|rzp_test_", word, 14],
  ["brevo", "xkeysib-|xsmtpsib-", `${word}\\-`, 60],
  ["buildkite", "bkua_|bkat_", hex, 40],
  ["circleci", "CCIPAT_|CCIPRJ_", `${word}_`, 40],
  ["tailscale", "tskey-api-|tskey-auth-|tskey-client-|tskey-scim-|tskey-webhook-", `${word}\\-`, 20],
  ["render", "rnd_", word, 28],
  ["posthog", "phx_", word, 40],
  ["sourcegraph", "sgp_", `${hex}_`, 40],
  ["sonarqube", "sqp_|squ_|sqa_", hex, 40],
  ["artifactory", "AKCp", word, 60],
  ["contentful", "CFPAT-", wordLine, 40],
  ["dynatrace", "dt0c01.|dt0s01.|dt0s16.", `${upper}.`, 60],
  ["alibaba", "LTAI", word, 20],
  ["tencent", "AKID", word, 32],
];

const others: readonly TokenShape[] = [
  {
    // An app's token may continue like a JWT.
    shape: "github",
    needles: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    source: `(?=gh[pousr]_)${start}gh[pousr]_[${word}_]{20,512}(?:[${wordLine}]{0,1024}\\.[${wordLine}]{20,4096}){0,2}`,
    tail: wordLine,
  },
  {
    // `7Q~` and `8Q~` follow the first three characters.
    shape: "azure",
    needles: ["7Q~", "8Q~"],
    source: `[${wordLine}.~]{3}[78]Q~[${wordLine}.~]{31,40}`,
    tail: null,
  },
  {
    shape: "azure",
    needles: ["AZDO"],
    source: `${start}[${word}]{76}AZDO[${word}]{4}`,
    tail: null,
  },
  {
    shape: "azure",
    needles: ["JQQJ9"],
    source: `${start}[${word}]{52}JQQJ9[${word}]{27}`,
    tail: null,
  },
  {
    shape: "sendgrid",
    needles: ["SG."],
    source: `(?=SG\\.)${start}SG\\.[${wordLine}]{16,64}\\.[${wordLine}]{32,512}`,
    tail: wordLine,
  },
  {
    shape: "twilio",
    needles: Array.from("0123456789abcdef", (digit) => `SK${digit}`),
    source: `(?=SK[${hex}])${start}SK[${hex}]{32}`,
    tail: null,
  },
  {
    shape: "mailchimp",
    needles: Array.from("123456789", (digit) => `-us${digit}`),
    source: `${start}[${hex}]{32}-us[0-9]{1,2}`,
    tail: null,
  },
  {
    // API addresses put `bot` before it.
    shape: "telegram",
    needles: [":AA"],
    source: `${start}(?:bot)?[0-9]{8,12}:AA[${wordLine}]{32,64}`,
    tail: wordLine,
  },
  {
    // The first part is a long number in base64.
    shape: "discord",
    needles: Array.from("MNO", (first) =>
      Array.from("DTjz", (second) => Array.from("AEIMQUYcgk", (third) => first + second + third)),
    ).flat(2),
    source: `(?=[MNO][DTjz])${start}(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,7}[${word}]{0,4}\\.[${wordLine}]{6}\\.[${wordLine}]{27,64}`,
    tail: wordLine,
  },
  {
    shape: "terraform",
    needles: [".atlasv1."],
    source: `${start}[${word}]{14}\\.atlasv1\\.[${wordLine}]{50,512}`,
    tail: wordLine,
  },
  {
    shape: "airtable",
    needles: ["pat"],
    source: `(?=pat)${start}pat[${word}]{14}\\.[${hex}]{64}`,
    tail: null,
  },
  {
    shape: "resend",
    needles: ["re_"],
    source: `(?=re_)${start}re_[${word}]{8}_[${word}]{20,512}`,
    tail: word,
  },
];

/** Longer prefixes of a maker come first. */
export const providerTokens: readonly TokenShape[] = [
  ...prefixed.map(([shape, prefixes, characters, atLeast]): TokenShape => {
    const needles = prefixes.split("|");
    const source = `(?:${needles.map((prefix) => prefix.replaceAll(".", "\\.").replaceAll("/", "\\/")).join("|")})`;
    // The lookahead is for speed: V8 skips by an alternative's first characters.
    return {
      shape,
      needles,
      source: `(?=${source})${start}${source}[${characters}]{${atLeast},512}`,
      tail: characters,
    };
  }),
  ...others,
];
