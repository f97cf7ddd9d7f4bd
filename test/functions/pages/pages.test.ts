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

/** A request whose answer is not decoded on the way. */
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

test('the page is asked for again each time, and nothing of another host counts in it', async () => {
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

test('files keep for a year under a name with their hash, compressed for those who take it', async () => {
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

test.each([
  ['another name', 'GET', '/api/guide/guide-0000000000000000.js', 404],
  ['a way out of the folder', 'GET', '/api/guide/..%2f..%2fpackage.json', 404],
  ['a name that every object has', 'GET', '/api/guide/constructor', 404],
  ['anything but reading', 'POST', GUIDE, 405],
])('%s is refused', async (_what, method, path, status) => {
  expect((await get(path, {}, method)).status).toBe(status)
})
