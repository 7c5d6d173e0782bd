import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readRemote } from "../../../lib/git/hosts/remote-place.ts";

/** The URL of a remote, and the page of its repository; null where no page can be told. */
const remotes: readonly (readonly [string, string | null])[] = [
  ["https://github.com/o/r.git", "https://github.com/o/r"],
  ["https://github.com/o/r", "https://github.com/o/r"],
  ["https://github.com/o/r/", "https://github.com/o/r"],
  ["https://github.com/o/r.git//", "https://github.com/o/r"],
  ["https://github.com/o/r.git.git", "https://github.com/o/r.git"],
  ["https://github.com/o/r.github", "https://github.com/o/r.github"],
  ["HTTPS://GitHub.COM/Owner/Repo.git", "https://github.com/Owner/Repo"],
  ["https://github.com./o/r.git", "https://github.com/o/r"],
  ["https://www.github.com/o/r", "https://github.com/o/r"],
  ["http://git.example.org:3000/o/r.git", "http://git.example.org:3000/o/r"],
  ["https://git.example.org:443/o/r.git", "https://git.example.org/o/r"],
  ["https://git.example.org:8443/o/r.git", "https://git.example.org:8443/o/r"],
  ["https://git.example.org:/o/r.git", "https://git.example.org/o/r"],
  ["https://host.example.org/gitlab/group/sub/repo.git", "https://host.example.org/gitlab/group/sub/repo"],
  ["https://gitlab.com/a/b/c/d/e.git", "https://gitlab.com/a/b/c/d/e"],
  ["https://github.com/o/r.git?x=1", "https://github.com/o/r"],
  ["https://github.com/o/r.git#readme", "https://github.com/o/r"],
  ["https://dev.azure.com/org/my%20project/_git/r", "https://dev.azure.com/org/my%20project/_git/r"],
  ["https://git.sr.ht/~someone/r", "https://git.sr.ht/~someone/r"],
  ["https://git.example.org/größe/r", "https://git.example.org/gr%C3%B6%C3%9Fe/r"],
  ["https://git.example.org/a(b)'c/r", "https://git.example.org/a%28b%29%27c/r"],
  ["https://git.exämple.org/o/r", "https://git.xn--exmple-cua.org/o/r"],
  // Who asks, never shows.
  ["https://me@github.com/o/r.git", "https://github.com/o/r"],
  ["https://me:hunter2@github.com/o/r.git", "https://github.com/o/r"],
  ["https://ghp_abcdef@github.com/o/r.git", "https://github.com/o/r"],
  ["https://x-access-token:ghp_abc@github.com/o/r", "https://github.com/o/r"],
  ["https://user:tok@en@github.com/o/r", "https://github.com/o/r"],
  ["https://user%40example.org:p%3Aw@github.com/o/r", "https://github.com/o/r"],
  ["https://gitlab-ci-token:64_x@gitlab.com:8443/g/s/r.git", "https://gitlab.com:8443/g/s/r"],
  ["ssh://user:pw@git.example.org/o/r", "https://git.example.org/o/r"],
  ["https://user:pa/ss@github.com/o/r", null],
  ["https://user:12/ss@github.com/o/r", null],
  ["https://user:12/3?4@github.com/o/r", null],
  ["https://user:12/3#4@github.com/o/r", null],
  ["https://tok/en@github.com/o/r", null],
  ["https://tok/en%40github.com/o/r", null],
  ["tok.en:secret@github.com:o/r", null],
  // ssh and git.
  ["ssh://git@github.com/o/r.git", "https://github.com/o/r"],
  ["ssh://git@git.example.org:2222/o/r.git", "https://git.example.org/o/r"],
  ["ssh://git.example.org/o/r", "https://git.example.org/o/r"],
  ["git+ssh://git@git.example.org/o/r.git", "https://git.example.org/o/r"],
  ["ssh://git@[2001:DB8::1]:2222/o/r.git", "https://[2001:db8::1]/o/r"],
  ["ssh://git@ssh.github.com:443/o/r.git", "https://github.com/o/r"],
  ["ssh://git@altssh.gitlab.com:443/g/s/r.git", "https://gitlab.com/g/s/r"],
  ["ssh://git@altssh.bitbucket.org:443/w/r.git", "https://bitbucket.org/w/r"],
  ["git@ssh.gitlab.gnome.org:GNOME/gtk.git", "https://gitlab.gnome.org/GNOME/gtk"],
  ["git://git.example.org:9418/o/r.git", "https://git.example.org/o/r"],
  ["https://[::1]:3000/o/r", "https://[::1]:3000/o/r"],
  // As scp writes it.
  ["git@github.com:o/r.git", "https://github.com/o/r"],
  ["github.com:o/r.git", "https://github.com/o/r"],
  ["git@github.com:/o/r.git", "https://github.com/o/r"],
  ["git@git.example.org:~someone/r.git", "https://git.example.org/~someone/r"],
  ["git@gitlab.com:group/sub/deep/r.git", "https://gitlab.com/group/sub/deep/r"],
  ["git@work:o/r.git", "https://work/o/r"],
  ["org-123@github.com:o/r.git", "https://github.com/o/r"],
  ["me@corp.example@git.example.org:o/r.git", "https://git.example.org/o/r"],
  ["git@[::1]:o/r.git", "https://[::1]/o/r"],
  ["[git@::1]:o/r.git", "https://[::1]/o/r"],
  ["[git@git.example.org:2222]:o/r.git", "https://git.example.org/o/r"],
  ["git@git.example.org:a%20b/r", "https://git.example.org/a%2520b/r"],
  ["git@git.example.org:a b/r", "https://git.example.org/a%20b/r"],
  ["git@git.example.org:2222/o/r.git", "https://git.example.org/2222/o/r"],
  // No page, or nobody knows which.
  ["", null],
  ["origin", null],
  ["/srv/git/r.git", null],
  ["./r.git", null],
  ["../a:b/r.git", null],
  ["./host:o/r", null],
  ["file:///srv/git/r.git", null],
  ["file://github.com/o/r", null],
  ["ext::sh -c 'touch x' github.com:o/r", null],
  ["codecommit::eu-west-1://me@r", null],
  ["codecommit://r", null],
  ["persistent-https://github.com/o/r", null],
  ["ftp://github.com/o/r", null],
  ["-oProxyCommand=x@github.com:o/r", null],
  ["git@-oProxyCommand=x:o/r", null],
  ["ssh://-oProxyCommand=x/o/r", null],
  ["javascript:alert(1)", null],
  ["javascript://github.com/%0aalert(1)", null],
  ["data:text/html,x", null],
  ["gh:o/r", null],
  ["C:\\work\\r", null],
  ["C:/work/r", null],
  ["https:\\\\github.com\\o\\r", null],
  ["https://github.com\\@evil.example/o/r", null],
  ["https://github.com/o/../../x/r", null],
  ["https://github.com/./o/r", null],
  ["https://github.com/%2e%2e/r", null],
  ["https://github.com/o%2Fr/x", null],
  ["https://github.com/o//r", null],
  ["https://github.com/o/.git", null],
  ["https://github.com", null],
  ["https://github.com/", null],
  ["https:///o/r", null],
  ["https://github.com:99999/o/r", null],
  ["https://github.com:port/o/r", null],
  ["https://github.com/o/%zz", null],
  ["https://github.com/o/a%00b", null],
  ["https://git%68ub.com/o/r", null],
  ["https://github.com/o/r\n", null],
  [" https://github.com/o/r", null],
  ["https://github.com/o/\u202er", null],
  ["https://git\u200bhub.com/o/r", null],
  ["https://git hub.com/o/r", null],
  ['https://git"hub.com/o/r', null],
  ["git@:o/r", null],
  ["@github.com:o/r", "https://github.com/o/r"],
  [`https://github.com/o/${"r".repeat(2_048)}`, null],
];

test("a remote's URL leads to the page of its repository, or to none", () => {
  assert.deepEqual(
    remotes.map(([url]) => [url, readRemote(url)?.web ?? null]),
    remotes,
  );
});

test("host and path are given apart, without a port", () => {
  assert.deepEqual(readRemote("https://me:pw@Git.example.org:8443/a b/r.git"), {
    web: "https://git.example.org:8443/a%20b/r",
    host: "git.example.org",
    path: "a%20b/r",
  });
});

const secret = "hunter2hunter2";
const word = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(..."abz09.-_~%@:/?#[]\\ \n") });

test("any URL of a remote is read without throwing, into a plain address", () => {
  const schemes = fc.constantFrom("https://", "http://", "ssh://", "git://", "file://", "javascript:", "ext::", "");
  const urls = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc
      .tuple(schemes, word, fc.constantFrom("@", ":", ""), word, fc.constantFrom("/", ":"), word)
      .map((all) => all.join("")),
  );
  fc.assert(
    fc.property(urls, (url) => {
      const read = readRemote(url);
      if (read === null) return;
      assert.match(read.web, /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?\/[A-Za-z0-9._~%/-]+$/);
      assert.equal(new URL(read.web).href, read.web);
    }),
    { numRuns: 600 },
  );
});

test("no user and no password comes out, wherever the marks of an address stand in them", () => {
  const marks = fc.string({ maxLength: 4, unit: fc.constantFrom(..."@:/?#%aZ0") });
  const schemes = fc.constantFrom("https://", "http://", "ssh://", "git://");
  fc.assert(
    fc.property(schemes, marks, marks, marks, (scheme, before, between, after) => {
      const url = `${scheme}${before}${secret}${between}:${secret}${after}@git.example.org/o/r.git`;
      const read = readRemote(url);
      assert.ok(read === null || !read.web.includes(secret), `${url} → ${read?.web}`);
    }),
    { numRuns: 600 },
  );
});
