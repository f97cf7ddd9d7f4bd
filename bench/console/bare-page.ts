import * as http from 'node:http'
import {
  readBody,
  serveHttp,
  type HttpAnswer,
  type HttpRequest,
  type Served,
} from '../../infra/simulators/toolkit/loopback.ts'

/** The console's work without the console: a token from the session's cookie, the list, a row for each key. */
const PAGE = `<!doctype html><title>bare</title><table><tbody></tbody></table><script type="module">
const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"grant_type":"refresh_token"}' }
const { jwt } = await (await fetch('/api/v1/auth/tokens', post)).json()
const headers = { authorization: 'Bearer ' + jwt }
const { resources } = await (await fetch('/api/v1/vault/keys2?skip=0&limit=100&sort=-createdAt', { headers })).json()
for (const { id, name, state, algorithm, size, createdAt } of resources) {
  const row = document.createElement('tr')
  for (const text of [name, state, algorithm + ' ' + size, createdAt]) row.insertCell().textContent = text
  document.querySelector('tbody').append(row)
}
</script>`

const passOn = (service: string, { method, url, headers, body }: HttpRequest): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const passed = http.request(service + url, { method, headers }, (answer) => {
      const { statusCode: status = 502, headers: answered } = answer
      readBody(answer).then((bytes) => resolve({ status, headers: answered, body: bytes }), reject)
    })
    passed.on('error', reject).end(body)
  })

/** Serves the bare page at `/bare`, and everything else from the service, so that both pages take the same path. */
export const startBarePage = (service: string): Promise<Served> =>
  serveHttp((request) =>
    request.url === '/bare'
      ? Promise.resolve({ status: 200, headers: { 'content-type': 'text/html' }, body: PAGE })
      : passOn(service, request),
  )
