import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identify, runs } from '../../../infra/local/data/processes.ts'
import { SIMULATORS } from '../../../infra/simulators/all.ts'
import { endpointsKey, titleOf } from '../../../infra/simulators/toolkit/simulator.ts'
import { buildFixtures, ROWS, temporaryFolder } from './deployment-support.ts'

const START = path.join(import.meta.dirname, 'fixtures', 'start.ts')
const started: Run[] = []
let bundles: string
let folder: string

beforeAll(async () => {
  folder = temporaryFolder()
  bundles = await buildFixtures()
})
afterAll(() => {
  for (const { child } of started) child.kill('SIGKILL')
  fs.rmSync(folder, { recursive: true })
})

interface Run {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly output: { out: string; err: string }
  /** exit code, or the signal that ended it */
  readonly ended: Promise<number | string>
}

/** Runs the command line on free ports. */
function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, outDir = bundles): Run {
  const child = spawn(process.execPath, [START, outDir, ...args], {
    env: { PATH: process.env.PATH, KEYMGR_PORT: '0', KEYMGR_TLS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a separate process group, to which a terminal's signal goes
  })
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (output.out += String(chunk)))
  child.stderr.on('data', (chunk) => (output.err += String(chunk)))
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const made = { child, output, ended }
  started.push(made)
  return made
}

/** Waits for the ready lines. @returns the address without `/api` */
async function ready({ child, output }: Run): Promise<string> {
  while (!/Data directory.*\n/.test(output.out)) {
    if (child.exitCode !== null) throw new Error(output.err)
    await once(child.stdout, 'data')
  }
  return String(/Base address +(\S+)\/api\n/.exec(output.out)?.[1])
}

const under = (base: string, what: string) => fetch(`${base}/api/v1/echo/deep/trouble/${what}`)

test('it prints its addresses, the administrator, the password once, and its data directory', async () => {
  const dataDir = path.join(folder, 'told')
  const first = run(['--data-dir', dataDir])
  const base = await ready(first)
  const endpoints = JSON.parse(fs.readFileSync(path.join(dataDir, 'endpoints.json'), 'utf8')) as Record<
    string,
    { endpoint: string; connection: Record<string, string> }
  >
  const addresses = SIMULATORS.map(
    (row) => `  ${`${titleOf(row)} (simulated)`.padEnd(21)} ${String(endpoints[endpointsKey(row)]?.endpoint)}\n`,
  )
  const bundling = ROWS.map(({ name }, at) => `Bundling function ${at + 1} of ${ROWS.length}: ${name}\n`)
  expect(first.output.out).toBe(
    `${bundling.join('')}keymgr is ready.
  Base address          ${base}/api
  API description       ${base}/api/v1/openapi.json
${addresses.join('')}  Identity provider     ${endpoints.identity_provider?.connection.issuer} (simulated)
  Directory             ${endpoints.directory?.connection.url} (simulated)
  Administrator         admin
  Password              made-at-the-first-start   (made now, not shown again)
  Data directory        ${dataDir}

Next:
  Console               ${base}/console/
  API guide             ${base}/api/guide/
  Command line          npm run build, then npx keymgr login --url ${base}/api --name admin
  A first key, in another terminal:
    export KEYMGR_DATA_DIR='${dataDir}' KEYMGR_ADMIN_PASSWORD='made-at-the-first-start'
    . docs/session.sh && post vault/keys2 '{"name":"first","algorithm":"aes"}'
`,
  )
  expect((await fetch(`${base}/api/v1/echo`)).status).toBe(200)
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  expect(first.output.err).toBe('')
  const elsewhere = Object.fromEntries(SIMULATORS.map(({ variable }) => [variable, 'http://127.0.0.1:9']))
  const second = run(['--data-dir', dataDir], elsewhere)
  await ready(second)
  expect(second.output.out).not.toContain('Password')
  expect(second.output.out).not.toContain('Cloud-')
  expect(fs.readFileSync(path.join(dataDir, 'endpoints.json'), 'utf8')).not.toContain('cloud_')
  second.child.kill('SIGINT')
  expect(await second.ended).toBe(0)
})

test('the first signal lets calls in progress finish; warnings were shown, other lines are in the log', async () => {
  const dataDir = path.join(folder, 'finish')
  const running = run(['--data-dir', dataDir])
  const base = await ready(running)
  await under(base, 'log')
  const slow = under(base, 'slow')
  await expect
    .poll(async () => ((await (await under(base, 'calls')).json()) as { calls: number }).calls)
    .toBeGreaterThan(2)
  running.child.kill('SIGTERM')
  expect(await (await slow).json()).toEqual({ slow: true })
  expect(await running.ended).toBe(0)
  expect(running.output.err).toBe('trouble: {"level":"WARN","message":"look out"}\n')
  expect(fs.readFileSync(path.join(dataDir, 'keymgr.log'), 'utf8')).toContain(
    'trouble {"level":"INFO","message":"all is well"}',
  )
  expect(fs.readdirSync(dataDir)).not.toContain('endpoints.json')
})

test('kill -9 ends the engine too, and the next start has all answered writes at once', async () => {
  const dataDir = path.join(folder, 'killed')
  const first = run(['--data-dir', dataDir])
  await ready(first)
  const { engine } = JSON.parse(fs.readFileSync(path.join(dataDir, 'lock'), 'utf8')) as {
    engine: { pid: number; started: string }
  }
  expect(identify(engine.pid)).toEqual(engine)
  first.child.kill('SIGKILL')
  expect(await first.ended).toBe('SIGKILL')
  const second = run(['--data-dir', dataDir])
  await ready(second)
  expect(second.output.out).not.toContain('Password') // the administrator of the first start still exists
  expect(runs(engine)).toBe(false)
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(0)
})

test('a refused start prints the reason in exactly one sentence, with exit code 1', async () => {
  const dataDir = path.join(folder, 'refused')
  const holder = run(['--data-dir', dataDir])
  const { port } = new URL(await ready(holder))
  const cases: [string[], RegExp][] = [
    [
      ['--data-dir', dataDir],
      /^The data directory is in use by another running instance \(process \d+, lock .*\)\.\n$/,
    ],
    [['--in-memory', '--port', port], /^Port \d+ is taken by another program; choose another with --port\.\n$/],
    [['--data-dir', path.join(START, 'below')], /^The data directory .* cannot be written \(ENOTDIR\)\.\n$/],
  ]
  for (const [args, sentence] of cases) {
    const refused = run(args)
    expect([await refused.ended, refused.output.out]).toEqual([1, ''])
    expect(refused.output.err).toMatch(sentence)
  }
  holder.child.kill('SIGTERM')
  expect(await holder.ended).toBe(0)
  fs.writeFileSync(path.join(dataDir, 'root-key.check'), 'of another key\n')
  const refused = run(['--data-dir', dataDir])
  expect(await refused.ended).toBe(1)
  expect(refused.output.err).toMatch(
    /^The data directory .* was made with another root key than root-key\.json holds\.\n$/,
  )
})

test('a password that is refused is a sentence on the terminal, and its fault is in the log', async () => {
  const dataDir = path.join(folder, 'weak')
  const weak = run(['--data-dir', dataDir], { KEYMGR_ADMIN_PASSWORD: 'refused' })
  expect(await weak.ended).toBe(1)
  expect(weak.output.out).not.toContain('ready')
  expect(weak.output.err).toBe('The deployment could not be set up: the password is too weak.\n')
  expect(fs.readFileSync(path.join(dataDir, 'keymgr.log'), 'utf8')).toContain(
    'Error: the password is too weak\n    at ',
  )
})

test('a signal of the terminal while functions are built, which ends the bundler too, ends the start without a word', async () => {
  const dataDir = path.join(folder, 'interrupted')
  const interrupted = run(['--data-dir', dataDir], {}, path.join(folder, 'not-built'))
  await expect.poll(() => fs.existsSync(path.join(dataDir, 'lock')), { interval: 10, timeout: 60_000 }).toBe(true)
  process.kill(-Number(interrupted.child.pid), 'SIGINT')
  expect([await interrupted.ended, interrupted.output.err]).toEqual([0, ''])
  expect(fs.existsSync(path.join(dataDir, 'lock'))).toBe(false)
})

test('a command line that cannot be meant ends with exit code 2, help with 0', async () => {
  const wrong = run(['--port', 'eighty'])
  expect(await wrong.ended).toBe(2)
  expect(wrong.output.err).toBe('--port must be a number between 0 and 65535, not "eighty".\n')
  const help = run(['--help'])
  expect(await help.ended).toBe(0)
  expect(help.output.out).toMatch(/^Usage: npm start/)
})

test('a later second signal ends it at once', async () => {
  const running = run(['--in-memory'])
  const base = await ready(running)
  const hanging = under(base, 'hold').catch(() => 'cut')
  await expect
    .poll(async () => ((await (await under(base, 'calls')).json()) as { calls: number }).calls)
    .toBeGreaterThan(1)
  running.child.kill('SIGTERM')
  // After a signal it accepts no new connections; then more signals are sent until one counts as the second.
  await expect.poll(() => connects(new URL(base)), { interval: 20 }).toBe(false)
  const again = setInterval(() => running.child.kill('SIGTERM'), 50)
  expect(await running.ended).toBe(1)
  clearInterval(again)
  expect(await hanging).toBe('cut')
})

function connects({ port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
