// A page once read is there without a network. The build puts this file at the top of the site as sw.js, with its own
// name for BUILD (extensions/offline.py), so that each new build is a new worker with a new store.
// Pages, and files whose names stay while they change, come from the network first; what a name belongs to for ever
// comes from the store. The lab has a worker of its own.

/** @type {any} */
const worker = self;
const { scope } = worker.registration;
const OURS = `offline ${scope} `; // a host may have several sites, which share their stores
const STORE = `${OURS}BUILD`;
const LASTING = /[?&](?:v|digest)=|\/[0-9a-f]{32,}\./; // has the hash of its content in its name
const isPage = ({ pathname }) => /(?:\/|\.html)$/.test(pathname);

worker.addEventListener("install", (event) => event.waitUntil(takeOver()));
worker.addEventListener("activate", (event) => event.waitUntil(settleIn()));
worker.addEventListener("message", (event) => event.waitUntil(keepAll(event.data.keep)));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const within = request.url.startsWith(scope) && !request.url.startsWith(`${scope}live/`);
  if (!within || request.method !== "GET" || request.headers.has("range")) return;
  event.respondWith(LASTING.test(request.url) ? keptOrFetched(event) : fetchedOrKept(event));
});

/** The name under which something is kept: a page whatever is asked of it. */
function nameOf(url) {
  const address = new URL(url);
  address.hash = "";
  if (isPage(address)) address.search = "";
  return address.href;
}

const kept = async (url, options) => (await caches.open(STORE)).match(nameOf(url), options);

/** A store that is full, or forbidden, costs nothing but what it would have kept. */
async function keep(url, answer) {
  if (answer.status !== 200) return;
  const store = await caches.open(STORE);
  await store.put(nameOf(url), answer).catch(() => {});
}

async function fetched(event) {
  const answer = await fetch(event.request);
  event.waitUntil(keep(event.request.url, answer.clone()));
  return answer;
}

async function keptOrFetched(event) {
  return (await kept(event.request.url)) ?? fetchedOrKept(event);
}

const fetchedOrKept = (event) => fetched(event).catch(() => inItsPlace(event.request));

/** What stands there without a network: what was kept, if need be of another version, or word of what can be read. */
async function inItsPlace({ url, mode }) {
  const found = await kept(url, { ignoreSearch: true });
  if (found) return found;
  return mode === "navigate" ? whatCanBeRead() : Response.error();
}

const TITLE = /<title>([^<]*)<\/title>/;
const MEANS = { headers: { "Content-Type": "text/html; charset=utf-8" } };

async function whatCanBeRead() {
  const store = await caches.open(STORE);
  const pages = (await store.keys()).map(({ url }) => url).filter((url) => url.endsWith(".html"));
  const titles = await Promise.all(pages.map(async (url) => TITLE.exec(await (await store.match(url)).text())?.[1]));
  const lines = pages.map((url, k) => [titles[k], url]).filter(([title]) => title);
  const links = lines.map(([title, url]) => `<li><a href="${url}">${title}</a></li>`).join("");
  const head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No network</title>';
  const style = "<style>:root { color-scheme: light dark; font: 1.1rem/1.5 serif; padding: 1rem }</style>";
  const said = "<h1>No network</h1><p>This page was never read here. These were, and can be read now:</p>";
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;
  const body = `<body>${said}<ul>${links}</ul></body>`;
  const text = `<!doctype html><html lang="en"><head>${policy}${head}${style}</head>${body}</html>`;
  return new Response(text, MEANS);
}

/** Of what a page shows, or will show, fetch what is not kept yet. */
async function keepAll(urls) {
  const wanted = new Set(urls.filter((url) => url.startsWith(scope) && !url.startsWith(`${scope}live/`)));
  for (const url of wanted) {
    if (await kept(url)) continue;
    const answer = await fetch(url).catch(() => null);
    if (answer) await keep(url, answer);
  }
}

/** The stores of earlier builds. */
const earlier = async () => (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== STORE);

/** Before a new build takes over: what was kept of the old one, as it is now. What is gone is left behind. */
async function takeOver() {
  for (const name of await earlier()) {
    const old = await caches.open(name);
    for (const { url } of await old.keys()) {
      const answer = await fetch(url, { cache: "no-cache" }).catch(() => old.match(url));
      await keep(url, answer);
    }
  }
  await worker.skipWaiting();
}

async function settleIn() {
  for (const name of await earlier()) await caches.delete(name);
  await worker.clients.claim();
}
