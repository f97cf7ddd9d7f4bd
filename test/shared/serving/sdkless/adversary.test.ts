import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Connections, serverAt } from '../../../../shared/base/network/connection.ts'
import fc from '../../../support/fast-check.ts'
import { expectNoHang } from '../../../support/hang.ts'

/** Answers in turn, each in pieces, and whether the server then closes the connection. */
let answers: { readonly pieces: readonly Buffer[]; readonly closes: boolean }[] = []
const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket.setNoDelay(true))
  socket.on('error', () => undefined)
  socket.on('data', () => {
    const { pieces = [], closes = true } = answers.shift() ?? {}
    const rest = [...pieces]
    const next = (): void => {
      const piece = rest.shift()
      if (piece !== undefined) socket.write(piece, () => setImmediate(next))
      else if (closes) socket.end()
    }
    next()
  })
})
let connections: Connections

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})
beforeEach(() => {
  connections = new Connections(serverAt(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)))
})

const send = (withinMs = 2_000) =>
  connections.send('POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}', {
    withinMs,
    fresh: false,
    timedOut: new Error('time is up'),
  })

const NEXT = { pieces: [Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext')], closes: false }

const body = fc.string({ unit: 'binary', maxLength: 60 })
const cuts = fc.array(fc.nat(400), { maxLength: 8 })

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.filter((place) => place < bytes.length).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place))
}

const sized = (text: string): Buffer =>
  Buffer.from(`HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)

function chunked(text: string, at: readonly number[], extension: string): Buffer {
  const chunks = cut(Buffer.from(text), at)
    .filter(({ length }) => length > 0)
    .flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n')])
  return Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
    ...chunks,
    Buffer.from('0\r\n\r\n'),
  ])
}

test('a good answer is read whole, wherever its bytes are split, and its connection is kept', async () => {
  const shapes = fc.record({
    text: body,
    at: cuts,
    chunksAt: fc.option(cuts, { nil: undefined }),
    extension: fc.constantFrom('', ';a=b', ' ;a'),
  })
  await fc.assert(
    fc.asyncProperty(shapes, async ({ text, at, chunksAt, extension }) => {
      const bytes = chunksAt === undefined ? sized(text) : chunked(text, chunksAt, extension)
      answers = [{ pieces: cut(bytes, at), closes: false }, NEXT]
      sockets.clear()
      expect((await send()).body).toBe(Buffer.from(text).toString('utf8'))
      expect((await send()).body).toBe('next')
      expect(sockets.size).toBeLessThanOrEqual(1) // none while the connection of the previous case is kept
    }),
    { numRuns: 150 },
  )
})

test('bytes behind an answer never become the answer of the next request', async () => {
  const junk = fc.oneof(
    fc.constant(sized('forged')),
    fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  )
  await fc.assert(
    fc.asyncProperty(body, junk, async (text, behind) => {
      answers = [{ pieces: [Buffer.concat([sized(text), behind])], closes: false }, NEXT]
      expect((await send()).body).toBe(Buffer.from(text).toString('utf8'))
      expect((await send()).body).toBe('next')
    }),
    { numRuns: 60 },
  )
})

/** Framings that do not determine where the body ends. */
const BROKEN = [
  'Content-Length: -1\r\n\r\n',
  'Content-Length: 1e3\r\n\r\n',
  'Content-Length: 0x10\r\n\r\n',
  'Content-Length:\r\n\r\n',
  'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
  'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\n-6\r\nabc\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n',
  'Transfer-Encoding: chunked\r\n\r\n 3\r\nabc\r\n0\r\n\r\n',
  'No colon\r\nContent-Length: 0\r\n\r\n',
]

test.each(BROKEN)('an answer with an ambiguous end is refused at once: %j', async (rest) => {
  answers = [{ pieces: [Buffer.from(`HTTP/1.1 200 OK\r\n${rest}`)], closes: false }, NEXT]
  await expect(send()).rejects.toThrow('not HTTP')
  expect((await send()).body).toBe('next')
})

test('headers without an end are refused long before memory is short', async () => {
  const line = Buffer.from(`X: ${'y'.repeat(1_000)}\r\n`)
  const pieces = [Buffer.from('HTTP/1.1 200 OK\r\n'), ...Array.from({ length: 200 }, () => line)]
  answers = [{ pieces, closes: false }]
  await expect(send()).rejects.toThrow('not HTTP')
})

/** A valid answer with some bytes replaced, removed, inserted, or cut off; or random bytes. */
const damaged = fc.oneof(
  fc
    .record({
      text: body,
      isChunked: fc.boolean(),
      edits: fc.array(
        fc.record({
          at: fc.nat(120),
          remove: fc.nat(4),
          put: fc.constantFrom('', '\r\n', '0', '-', ':', 'ff', '\0', ' '),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    })
    .map(({ text, isChunked, edits }) =>
      edits.reduce(
        (bytes, { at, remove, put }) =>
          Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at + remove)]),
        isChunked ? chunked(text, [7, 20], '') : sized(text),
      ),
    ),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)

test('a damaged answer is read or refused in time, and the next request gets its own answer', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, cuts, async (bytes, at) => {
      connections = new Connections(serverAt(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)))
      answers = [{ pieces: cut(bytes, at), closes: true }, NEXT]
      const from = performance.now()
      const outcome = await send(1_000).then(
        ({ status }) => status,
        (error: unknown) => error,
      )
      if (typeof outcome === 'number') expect(outcome).toBeGreaterThanOrEqual(200)
      else expect((outcome as Error).message).toMatch(/not HTTP|closed before the answer|ECONNRESET/)
      expectNoHang(from)
      answers = [NEXT, NEXT]
      const following = await send().catch(() => send()) // the first may use a closed connection
      expect(following.body).toBe('next')
    }),
    { numRuns: 200 },
  )
})
