import { gunzipSync } from 'node:zlib'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
const GUIDE = '/api/guide/'

interface Got {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** A request whose answer is not decompressed. */
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Got> =>
  new Promise((resolve, reject) => {
    const asked = request(`${service().deployment.baseUrl}${path}`, { method, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
    })
    asked.on('error', reject).end()
  })

const scriptIn = (page: Buffer): string =>
  /src="(\/api\/guide\/guide-[0-9a-f]{16}\.js)"/.exec(page.toString())?.[1] ?? ''

test('the page is never cached, and no content of another host is permitted', async () => {
  const { status, headers, body } = await get(GUIDE)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['cache-control']).toBe('no-cache')
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /)
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(body.toString()).not.toMatch(/<script>|https?:\/\//)
  const again = await get(GUIDE, { 'if-none-match': String(headers.etag) })
  expect(again).toMatchObject({ status: 304, body: Buffer.of() })
  expect((await get('/api/guide')).body).toEqual(body)
})

test('files are cached for a year under a name with their hash, and compressed for clients that accept it', async () => {
  const script = scriptIn((await get(GUIDE)).body)
  const [plain, zipped] = [await get(script), await get(script, { 'accept-encoding': 'gzip' })]
  expect(zipped.headers).toMatchObject({
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  })
  expect(gunzipSync(zipped.body)).toEqual(plain.body)
  expect(plain.headers['content-encoding']).toBeUndefined()
  const head = await get(script, {}, 'HEAD')
  expect(head).toMatchObject({ status: 200, body: Buffer.of() })
})

test('the page of the console answers at every address of it that is no file', async () => {
  const { body, headers } = await get('/console/')
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
  expect(body.toString()).not.toMatch(/<script>|<style|style=|https?:\/\//)
  for (const path of ['/console', '/console/keys/local', '/console/keys/cloud-a/some.key'])
    expect((await get(path)).body.equals(body), path).toBe(true)
})

/** Scripts and styles of a page, and everything that they import at the start. */
async function firstLoad(page: string): Promise<Map<string, Got>> {
  const found = new Map<string, Got>()
  const load = async (path: string): Promise<void> => {
    if (found.has(path)) return
    const got = await get(path, { 'accept-encoding': 'gzip' })
    expect(got.status, path).toBe(200)
    found.set(path, got)
    const text = gunzipSync(got.body).toString()
    for (const [, name = ''] of text.matchAll(/(?:from|import)\s*"(\.\/[^"]+)"/g))
      await load(new URL(name, `http://x${path}`).pathname)
    if (path === page) for (const [, file = ''] of text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) await load(file)
  }
  await load(page)
  return found
}

test('the first load of the console is at most 90 KB, and names before all that it begins with', async () => {
  const files = await firstLoad('/console/')
  const bytes = [...files.values()].reduce((sum, { body }) => sum + body.length, 0)
  expect(bytes).toBeLessThan(90_000)
  const page = gunzipSync(files.get('/console/')?.body ?? Buffer.of()).toString()
  for (const path of files.keys()) if (path !== '/console/') expect(page).toContain(path)
})

const SCRIPTS_AT = '/console/files/'
const importsIn = ({ body }: Got, pattern: RegExp): string[] =>
  [...gunzipSync(body).toString().matchAll(pattern)].map(
    ([, name = '']) => new URL(name, `http://x${SCRIPTS_AT}`).pathname,
  )

/** The scripts of a page that are not loaded yet. */
async function addedBy(script: string, there: ReadonlyMap<string, Got>): Promise<Map<string, Got>> {
  const added = new Map<string, Got>()
  const load = async (path: string): Promise<void> => {
    if (there.has(path) || added.has(path)) return
    const got = await get(path, { 'accept-encoding': 'gzip' })
    added.set(path, got)
    for (const next of importsIn(got, /(?:from|import)\s*"(\.\/[^"]+)"/g)) await load(next)
  }
  await load(script)
  return added
}

test('the first page of the console needs at most 90 KB of scripts, a further page at most 25 KB more', async () => {
  const start = await firstLoad('/console/')
  const pages = [...start.values()].flatMap((got) => importsIn(got, /import\(\s*"(\.\/[^"]+)"\s*\)/g))
  expect(pages.length).toBeGreaterThan(30)
  const overview = pages.find((page) => page.includes('-overview-')) ?? ''
  const first = new Map([...start, ...(await addedBy(overview, start))])
  const scripts = [...first].filter(([path]) => path.endsWith('.js'))
  expect(scripts.reduce((sum, [, { body }]) => sum + body.length, 0)).toBeLessThan(90_000)
  for (const page of new Set(pages)) {
    const added = await addedBy(page, first)
    const bytes = [...added.values()].reduce((sum, { body }) => sum + body.length, 0)
    expect(bytes, page).toBeLessThan(25_000)
  }
})

test.each([
  ['another name', 'GET', '/api/guide/guide-0000000000000000.js', 404],
  ['a way out of the folder', 'GET', '/api/guide/..%2f..%2fpackage.json', 404],
  ['another name of a file of the console', 'GET', '/console/files/chunk-key-00000000.js', 404],
  ['the name that stands for all addresses', 'GET', '/console/*', 404],
  ['writing at an address of the console', 'POST', '/console/keys', 405],
  ['a name that every object has', 'GET', '/api/guide/constructor', 404],
  ['anything but reading', 'POST', GUIDE, 405],
])('%s is refused', async (_what, method, path, status) => {
  expect((await get(path, {}, method)).status).toBe(status)
})

test('a browser at the bare host is redirected to the console, and no other client is', async () => {
  const browser = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
  expect(browser).toMatchObject({ status: 302, headers: { location: '/console/', vary: 'accept' } })
  expect((await get('/', { accept: 'application/json' })).status).toBe(404)
  expect((await get('/elsewhere', { accept: 'text/html' })).status).toBe(404)
  expect((await get('/', { accept: 'text/html' }, 'POST')).status).toBe(404)
})

test('the health of the service is answered without a token, and only to GET', async () => {
  const { baseUrl } = service().deployment
  const answer = await fetch(`${baseUrl}/health`)
  expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body: { status: 'ok' } })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect((await get('/health', {}, 'POST')).status).toBe(404)
  expect((await get('/health/more')).status).toBe(404)
})
