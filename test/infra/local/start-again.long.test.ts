import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ADMIN_PASSWORD, call } from '../../support/service.ts'
import { temporaryFolder } from './deployment-support.ts'

const START = path.join(import.meta.dirname, '../../../infra/local/start.ts')
const folder = temporaryFolder()
const started: ChildProcess[] = []
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
  fs.rmSync(folder, { recursive: true })
})

/** Starts the whole service as a user does, with one data directory. */
async function start(dataDir: string): Promise<{ child: ChildProcess; base: string }> {
  const child = spawn(process.execPath, [START, '--port', '0', '--tls-port', '0', '--data-dir', dataDir], {
    env: {
      PATH: process.env.PATH,
      KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD,
      KEYMGR_CALLS_PER_SECOND: '100000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let out = ''
  let err = ''
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  while (!/Data directory.*\n/.test(out)) {
    if (child.exitCode !== null) throw new Error(err)
    await once(child.stdout, 'data')
  }
  return { child, base: String(/Base address +(\S+)\n/.exec(out)?.[1]) }
}

async function logIn(base: string): Promise<string> {
  const { status, body } = await call(base, 'POST', '/v1/auth/tokens', {
    body: { name: 'admin', password: ADMIN_PASSWORD },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.jwt as string
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const closed = once(child, 'close')
  child.kill(signal)
  const [code] = await closed
  return code
}

test('data from before a stop exists after the next start', async () => {
  const dataDir = path.join(folder, 'stopped')
  const first = await start(dataDir)
  const token = await logIn(first.base)
  const { body: key } = await call(first.base, 'POST', '/v1/vault/keys2', {
    token,
    body: { name: 'kept', algorithm: 'ec' },
  })
  const { body: exported } = await call(first.base, 'POST', '/v1/vault/keys2/kept/export', { token, body: {} })
  expect(await end(first.child, 'SIGTERM')).toBe(0)
  const second = await start(dataDir)
  const again = await logIn(second.base)
  const { body: found } = await call(second.base, 'GET', `/v1/vault/keys2/${key.id}`, { token: again })
  expect(found).toEqual({ ...key, neverExported: false })
  const { body: reexported } = await call(second.base, 'POST', '/v1/vault/keys2/kept/export', {
    token: again,
    body: {},
  })
  expect(reexported.material).toBe(exported.material)
  expect(await end(second.child, 'SIGINT')).toBe(0)
})

test('kill -9 during creates loses no answered write, and the counts agree', async () => {
  const dataDir = path.join(folder, 'killed')
  const answered = new Set<string>()
  const lengths = [40, 60]
  for (const [round, enough] of lengths.entries()) {
    const { child, base } = await start(dataDir)
    const token = await logIn(base)
    let alive = true
    const worker = async (n: number): Promise<void> => {
      for (let at = 0; alive; at++) {
        const name = `r${round}-w${n}-${at}`
        const made = await call(base, 'POST', '/v1/vault/keys2', { token, body: { name } }).catch(() => undefined)
        if (made?.status === 201) answered.add(name)
        if (made === undefined) return
        if (answered.size >= (round + 1) * enough) {
          alive = false
          child.kill('SIGKILL')
        }
      }
    }
    const closed = once(child, 'close')
    await Promise.all(Array.from({ length: 6 }, (_, n) => worker(n)))
    await closed
  }
  const { child, base } = await start(dataDir)
  const token = await logIn(base)
  const names = new Set<string>()
  let total = 0
  do {
    const { body } = await call(base, 'GET', `/v1/vault/keys2?limit=1000&skip=${names.size}`, { token })
    for (const { name } of body.resources as { name: string }[]) names.add(name)
    total = body.total as number
  } while (names.size < total)
  expect(names.size).toBe(total)
  expect([...answered].filter((name) => !names.has(name))).toEqual([])
  // every key has its audit record: one transaction wrote both
  const { body: records } = await call(base, 'GET', '/v1/audit/records?message=Create%20Key&success=true&limit=1', {
    token,
  })
  expect(records.total).toBe(total)
  expect(await end(child, 'SIGTERM')).toBe(0)
})
