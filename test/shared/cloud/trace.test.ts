import { once } from 'node:events'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { within, type Trace } from '../../../shared/base/network/trace.ts'
import { send } from '../../../shared/cloud/adapter/transport.ts'
import { traceOf } from '../../../shared/http/request/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

let seen: http.IncomingHttpHeaders[] = []
const cloud = http.createServer((request, response) => {
  seen.push(request.headers)
  response.end('{}')
})

beforeAll(async () => {
  cloud.listen(0, '127.0.0.1')
  await once(cloud, 'listening')
})
beforeEach(() => {
  seen = []
})
afterEach(() => {
  vi.unstubAllEnvs()
})
afterAll(() => {
  cloud.close()
  cloud.closeAllConnections()
})

const calling = (trace: Trace | undefined, headers: Record<string, string> = {}) => {
  const url = new URL(`http://127.0.0.1:${(cloud.address() as AddressInfo).port}/keys`)
  const request = { method: 'GET', url, headers, answerWithinMs: 5_000 } as const
  return within(trace, () => send(request, new AbortController().signal))
}

test.each([
  ['recorded', '01', '01'],
  ['not recorded', '00', '00'],
  ['with flags that version 00 does not know', 'ff', '01'],
])('a cloud receives the trace of the caller, with a separate span: %s', async (_what, given, told) => {
  const trace = traceOf(`00-${TRACE}-${SPAN}-${given}`)
  await calling(trace)
  await calling(trace)
  const spans = seen.map(({ traceparent }) => {
    const [version, id, span = '', flags] = String(traceparent).split('-')
    expect([version, id, flags]).toEqual(['00', TRACE, told])
    expect(span).toMatch(/^[0-9a-f]{16}$/)
    return span
  })
  expect(new Set([SPAN, ...spans]).size).toBe(3)
})

test('concurrent requests have separate traces, and one without a trace has none', async () => {
  const other = TRACE.replaceAll('4', '5')
  const calls = [TRACE, undefined, other].map((id, at) =>
    calling(id === undefined ? undefined : { id, flags: '01' }, { 'x-at': String(at) }),
  )
  await Promise.all(calls)
  const told = seen
    .toSorted((a, b) => Number(a['x-at']) - Number(b['x-at']))
    .map(({ traceparent }) => traceparent?.toString().split('-')[1])
  expect(told).toEqual([TRACE, undefined, other])
})

test('a deployment with private traces sends none to clouds', async () => {
  vi.stubEnv('KEYMGR_TRACE_TO_CLOUDS', 'off')
  await calling({ id: TRACE, flags: '01' })
  expect(seen.map(({ traceparent }) => traceparent)).toEqual([undefined])
})
