import assert from "node:assert/strict";
import { test } from "node:test";
import { problemOfSharedUrl } from "../../lib/text/repo-url.ts";

const secret = "must not contain a user name, password, query or fragment: many people read this file";
const path = "must be a URL or an absolute path";
const url = "must be the URL of a repository";

test("the address of a repository that many read names one, from wherever it is read, and no secret", () => {
  const cases: Readonly<Record<string, string | null>> = {
    "https://host/a.git": null,
    "ssh://git@host:22/a.git": null,
    "git@host:team/a.git": null,
    "host:a": null,
    "/srv/a.git": null,
    "file:///srv/a.git": null,
    "https://token@host/a.git": secret,
    "https://me:pw@host/a.git": secret,
    "HTTPS://me:pw@host/a.git": secret,
    "ssh://git:pw@host/a.git": secret,
    "me:pw@host:a": secret,
    "https://host/a.git?private_token=x": secret,
    "https://host/a.git#x": secret,
    "../a.git": path,
    "a.git": path,
    "./a:b": path,
    "": url,
    "-oProxyCommand=x:y": url,
    "ext::sh -c true": url,
    "ftp://host/a": url,
    "https://host/a\nb": url,
  };
  for (const [given, said] of Object.entries(cases)) assert.equal(problemOfSharedUrl(given), said, given);
});
