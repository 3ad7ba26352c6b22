// The worker of a site that keeps nothing: it clears away what an earlier build has kept, and itself.

/** @type {any} */
const leaving = self;

leaving.addEventListener("install", () => leaving.skipWaiting());
leaving.addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  const ours = (await caches.keys()).filter((name) => name.startsWith(`offline ${leaving.registration.scope} `));
  for (const name of ours) await caches.delete(name);
  await leaving.registration.unregister();
}
