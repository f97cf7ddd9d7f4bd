import { once } from 'node:events'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { sendSpans } from '../../../../shared/base/network/otlp.ts'
import { takeSpans, type Span } from '../../../../shared/base/network/spans.ts'
import { traceCall, traceFrom, within } from '../../../../shared/base/network/trace.ts'
import { closedPort } from '../../../support/ports.ts'

let bodies: any[] = []
let status = 200
const collector = http.createServer((request, response) => {
  void text(request).then((body) => {
    bodies.push({ path: request.url, ...JSON.parse(body) })
    response.writeHead(status).end('{}')
  })
})
let address = ''
beforeAll(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  address = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
})
afterEach(() => {
  vi.unstubAllEnvs()
  takeSpans()
  bodies = []
  status = 200
})
afterAll(() => {
  collector.close()
  collector.closeAllConnections()
})

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const SPAN: Span = {
  ...{ trace: TRACE, id: '1234567890abcdef', parent: PARENT, kind: 'server', name: 'GET /keys', isFault: true },
  ...{
    startedAt: new Date(1_700_000_000_000),
    ms: 1.5,
    attributes: { 'http.response.status_code': 500, absent: undefined },
  },
}
const CLOUD = new URL('https://kms.cloud.example/keys/secret?name=hidden')

test('a span is written as the protocol has it', async () => {
  await sendSpans(`${address}/base/`, [SPAN], 'vault')
  const [{ path, resourceSpans }] = bodies
  expect(path).toBe('/base/v1/traces')
  expect(resourceSpans[0].scopeSpans[0].spans).toEqual([
    {
      ...{ traceId: TRACE, spanId: '1234567890abcdef', parentSpanId: PARENT, name: 'GET /keys', kind: 2 },
      ...{ startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000000001500000', status: { code: 2 } },
      attributes: [{ key: 'http.response.status_code', value: { intValue: '500' } }],
    },
  ])
})

test.each([307, 400, 503])('status %d is no acceptance', async (refused) => {
  status = refused
  await expect(sendSpans(address, [SPAN], 'vault')).rejects.toThrow(`status ${refused}`)
})

test('an unreachable collector is an error', async () => {
  await expect(sendSpans(`http://127.0.0.1:${await closedPort()}`, [SPAN], 'vault')).rejects.toThrow()
})

test('without a collector no span is recorded, and no one gets a trace', () => {
  expect(traceFrom(undefined)).toBeUndefined()
  const caller = { id: TRACE, flags: '01', parent: PARENT }
  expect(traceFrom(caller)).toBe(caller)
  within(caller, () => traceCall('GET', CLOUD).end(200))
  expect(takeSpans().spans).toEqual([])
})

test.each([
  [200, false, undefined],
  [404, true, '404'],
  [undefined, true, 'no_answer'],
])('a call that a cloud answers with %s is a span of its host, without its path', (answered, isFault, type) => {
  vi.stubEnv('KEYMGR_OTLP_ENDPOINT', address)
  vi.stubEnv('KEYMGR_TRACE_TO_CLOUDS', 'off')
  const trace = traceFrom({ id: TRACE, flags: '01', parent: PARENT })
  const headers = within(trace, () => {
    const call = traceCall('PUT', CLOUD)
    call.end(answered)
    return call.headers
  })
  expect(headers).toEqual({}) // kept from the cloud, recorded all the same
  const { spans } = takeSpans()
  expect(spans).toMatchObject([{ trace: TRACE, parent: trace?.span, kind: 'client', name: 'PUT', isFault }])
  expect(spans[0]?.attributes).toEqual({
    ...{ 'http.request.method': 'PUT', 'server.address': 'kms.cloud.example', 'server.port': undefined },
    ...{ 'http.response.status_code': answered, 'error.type': type },
  })
})

test('spans without room are counted', () => {
  vi.stubEnv('KEYMGR_OTLP_ENDPOINT', address)
  within(traceFrom(undefined), () => {
    for (let at = 0; at < 2_003; at++) traceCall('GET', CLOUD).end(200)
  })
  const { spans, lost } = takeSpans()
  expect([spans.length, lost]).toEqual([2_000, 3])
})
