import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDeployment } from '../support/test-deployment.ts'
import { Service } from '../support/service.ts'
import { CONNECTIONS } from './cloud-c/cloud-c.ts'

/** A span as it arrives at the collector, with plain attributes. */
interface Received {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly attributes: Readonly<Record<string, string | number>>
  readonly function: unknown
}

const [SERVER, CLIENT] = [2, 3]
const CALLER = '00f067aa0ba902b7'
const traceOf = (digit: string): string => digit.repeat(32)
const from = (trace: string, flags = '01') => ({ traceparent: `00-${trace}-${CALLER}-${flags}` })

/** A collector of OpenTelemetry; `answer` replaces its answers. */
const received: Received[] = []
const bodies: string[] = []
let answer: ((response: ServerResponse) => void) | undefined
const collector = createServer((request, response) => {
  void receive(request).then(() => (answer === undefined ? response.end('{}') : answer(response)))
})

const plain = (attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]) =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? Number(intValue)]),
  )

async function receive(request: IncomingMessage): Promise<void> {
  const body = (await json(request)) as any
  bodies.push(JSON.stringify(body))
  expect([request.method, request.url]).toEqual(['POST', '/otlp/v1/traces'])
  expect(request.headers['content-type']).toBe('application/json')
  for (const { resource, scopeSpans } of body.resourceSpans) {
    const { 'service.name': service, 'faas.name': name } = plain(resource.attributes)
    expect(service).toBe('keymgr')
    for (const span of scopeSpans[0].spans)
      received.push({ ...span, attributes: plain(span.attributes), function: name })
  }
}

let service: Service
let token = ''
beforeAll(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { port } = collector.address() as AddressInfo
  const environment = { KEYMGR_OTLP_ENDPOINT: `http://127.0.0.1:${port}/otlp` }
  service = new Service(await startTestDeployment({ environment }))
  token = await service.logIn()
})
afterAll(async () => {
  await service.deployment.stop()
  collector.close()
  collector.closeAllConnections()
})

const spansOf = async (trace: string, count: number): Promise<Received[]> => {
  const found = () => received.filter(({ traceId }) => traceId === trace)
  await expect.poll(() => found().length).toBeGreaterThanOrEqual(count)
  return found()
}

test('a request without a trace begins one, named by its route', async () => {
  await expect.poll(() => received.length).toBeGreaterThan(0)
  const [span] = received
  expect(span).toMatchObject({
    ...{ name: 'POST /api/v1/auth/tokens', kind: SERVER, status: {}, function: 'auth' },
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/auth/tokens',
      'http.response.status_code': 200,
      'url.scheme': expect.stringMatching(/^https?$/),
      'keymgr.request_id': expect.any(String),
    },
  })
  expect(span).not.toHaveProperty('parentSpanId')
  const took = BigInt(span?.endTimeUnixNano ?? 0) - BigInt(span?.startTimeUnixNano ?? 0)
  expect(took > 0n && took < 600_000_000_000n).toBe(true)
})

test('the span of a request is in the trace of the caller, and calls to a cloud are below it', async () => {
  const { cloudC } = service.deployment
  const trace = traceOf('a')
  const body = { key_file: JSON.stringify(cloudC.keyFiles[0]) }
  const made = await service.call('POST', CONNECTIONS.replace(/connections$/, 'connection-test'), {
    token,
    body,
    headers: from(trace),
  })
  expect(made.status, JSON.stringify(made.body)).toBeLessThan(300)
  const [first, ...others] = (await spansOf(trace, 2)).toSorted((a, b) => a.kind - b.kind)
  expect(first).toMatchObject({ kind: SERVER, parentSpanId: CALLER, function: 'connections' })
  expect(first?.attributes['keymgr.request_id']).toBe(made.headers.get('x-request-id'))
  const { port } = new URL(cloudC.endpoint)
  for (const call of others)
    expect(call).toMatchObject({
      ...{ name: call.attributes['http.request.method'], kind: CLIENT, parentSpanId: first?.spanId },
      attributes: { 'server.address': '127.0.0.1', 'server.port': Number(port), 'http.response.status_code': 200 },
    })
  expect(new Set([first, ...others].map((span) => span?.spanId)).size).toBe(1 + others.length)
})

test('a span contains the template of a path, and neither ids nor queries; refusals are no errors', async () => {
  const trace = traceOf('b')
  const secret = 'never-in-a-span'
  const path = `/v1/vault/keys2/${secret}?name=${secret}`
  expect((await service.call('GET', path, { token, headers: from(trace) })).status).toBeGreaterThanOrEqual(400)
  const [span] = await spansOf(trace, 1)
  expect(span).toMatchObject({ name: 'GET /api/v1/vault/keys2/{id}', status: {} })
  expect(bodies.join('')).not.toContain(secret)
  expect(bodies.join('')).not.toContain(service.domain.id)
})

test('an address without an operation has no route', async () => {
  const trace = traceOf('c')
  expect((await service.call('GET', '/v1/nowhere/at-all', { headers: from(trace) })).status).toBe(404)
  const [span] = await spansOf(trace, 1)
  expect(span).toMatchObject({ name: 'GET', function: 'front' })
  expect(span?.attributes).not.toHaveProperty('http.route')
})

test('a trace that the caller does not record is not recorded here', async () => {
  await service.call('GET', '/v1/usermgmt/groups', { token, headers: from(traceOf('d'), '00') })
  await service.call('GET', '/v1/audit/records', { token, headers: from(traceOf('e')) }) // from another function, later
  await spansOf(traceOf('e'), 1)
  expect(received.filter(({ traceId }) => traceId === traceOf('d'))).toEqual([])
})

test.each([
  ['refuses', (response: ServerResponse) => response.writeHead(503).end()],
  ['hangs', () => undefined],
])('a collector that %s changes no answer', async (how, answered) => {
  answer = answered
  try {
    const path = how === 'refuses' ? '/v1/client-management/clients' : '/v1/scheduler/job-configs'
    expect((await service.call('GET', path, { token, headers: from(traceOf('f')) })).status).toBe(200)
    const warnings = () => service.deployment.logs().filter(({ text }) => text.includes('spans not sent'))
    if (how === 'refuses') await expect.poll(() => warnings().length).toBe(1)
  } finally {
    answer = undefined
  }
})
