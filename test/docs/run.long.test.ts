import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildClient } from '../../infra/build-clients.ts'
import { SCHEDULES } from '../../infra/functions.ts'
import { temporaryFolder } from '../infra/local/deployment-support.ts'
import { ADMIN_PASSWORD, useService } from '../support/service.ts'
import {
  answersOf,
  blockName,
  blocksOf,
  isByHand,
  MARKS,
  needsRoot,
  ownTestOf,
  PAGES,
  ROOT,
  type Block,
} from './pages.ts'

/**
 * Runs the blocks of every page in order, as a reader would: in a checkout with its own data directory, against one
 * service. Each page has a separate domain, so that none depends on another; pages that need the root domain share it.
 */
const service = useService({ tlsPort: 'any' })
const run = promisify(execFile)
const programs = temporaryFolder()
let minutes: http.Server

beforeAll(async () => {
  for (const client of ['cli', 'verifier'] as const) await buildClient(client, programs)
  fs.mkdirSync(path.join(programs, 'bin'))
  for (const name of ['keymgr', 'keymgr-verify']) {
    fs.chmodSync(path.join(programs, `${name}.mjs`), 0o755)
    fs.symlinkSync(path.join(programs, `${name}.mjs`), path.join(programs, 'bin', name))
  }
  minutes = http.createServer((_request, response) => {
    aMinute().then(
      () => response.end(),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve) => minutes.listen(0, '127.0.0.1', resolve))
})
afterAll(() => minutes.close())

/** Runs the schedules of one minute twice, since some of them read what others have written. */
async function aMinute(): Promise<void> {
  const { fire, flows, logsDelivered } = service().deployment
  await logsDelivered()
  for (const { trigger } of [...SCHEDULES, ...SCHEDULES]) await fire(trigger)
  await flows.idle()
}

/** A folder that looks like the checkout, with the data directory of a running service. */
function checkout(): string {
  const folder = temporaryFolder()
  for (const name of fs.readdirSync(ROOT).filter((each) => !each.startsWith('.') && each !== 'dist'))
    fs.symlinkSync(path.join(ROOT, name), path.join(folder, name))
  fs.mkdirSync(path.join(folder, '.keymgr'))
  fs.writeFileSync(path.join(folder, '.keymgr/endpoints.json'), JSON.stringify(service().deployment.endpoints()))
  return folder
}

/** A new domain for a page, with an administrator. */
async function domainFor(page: string): Promise<string> {
  const root = service()
  const token = await root.logIn()
  const { body: self } = await root.call('GET', '/v1/auth/self/user', { token })
  const name = page.replaceAll(/[^a-z0-9]+/gi, '-')
  const body = { name, admins: [self.user_id], allow_user_management: true }
  const made = await root.call('POST', '/v1/domains', { token, body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return name
}

const FENCE = '=== block'

/** The blocks as one script, which prints the number of each before it starts. */
const scriptOf = (blocks: readonly Block[]): string =>
  blocks
    .map(({ text, marks }, at) => {
      const { port } = minutes.address() as AddressInfo
      const wait = marks.some((mark) => MARKS.later.test(mark)) ? `curl -sSf http://127.0.0.1:${port}/\n` : ''
      return `${wait}printf '\\n${FENCE} ${at}\\n'\n${text}`
    })
    .join('\n')

interface Output {
  readonly stdout: string
  readonly stderr: string
}

const environment = (folder: string): Record<string, string> => ({
  PATH: `${path.join(programs, 'bin')}:${path.join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
  HOME: path.join(folder, '.keymgr'),
  KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD,
})

/** the output of a failed command is returned too: the blocks before it explain the failure */
const outputOf = (command: string, args: readonly string[], folder: string, env: Record<string, string>) =>
  run(command, [...args], { cwd: folder, env, maxBuffer: 1 << 25 }).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as Partial<Output>
    throw new Error(`${stdout}\n${stderr}`, { cause: new Error(`${command} failed`) })
  })

async function runShell(page: string, blocks: readonly Block[]): Promise<void> {
  const folder = checkout()
  const before = fs.readdirSync(folder)
  const domain = needsRoot(page) ? {} : { KEYMGR_DOMAIN: await domainFor(page) }
  const env = { ...environment(folder), ...domain }
  const { stdout } = await outputOf('sh', ['-ec', scriptOf(blocks)], folder, env)
  const parts = stdout.split(new RegExp(`^${FENCE} \\d+\n`, 'm')).slice(1)
  expect(parts, page).toHaveLength(blocks.length)
  for (const [at, block] of blocks.entries()) {
    const shown = parts[at] ?? ''
    for (const answer of answersOf(block)) expect(shown, blockName(block)).toContain(answer)
    const isRefused = block.marks.some((mark) => MARKS.refused.test(mark))
    expect(shown.includes('"codeDesc"'), `${blockName(block)} is refused:\n${shown}`).toBe(isRefused)
  }
  expect(fs.readdirSync(folder), `${page} leaves files`).toEqual(before)
}

async function runScripts(page: string, blocks: readonly Block[]): Promise<void> {
  const folder = checkout()
  const program = path.join(folder, 'page.ts')
  fs.writeFileSync(program, blocks.map(({ text }) => text).join('\n'))
  const { stdout } = await outputOf(
    process.execPath,
    ['--preserve-symlinks-main', program],
    folder,
    environment(folder),
  )
  for (const answer of blocks.flatMap(answersOf)) expect(stdout, page).toContain(answer)
}

const RUN: Readonly<Record<string, (page: string, blocks: readonly Block[]) => Promise<void>>> = {
  shell: runShell,
  program: runScripts,
}
const KINDS: Readonly<Record<string, string>> = { sh: 'shell', ts: 'program', js: 'program' }

const RUNS = PAGES.filter((page) => ownTestOf(page) === undefined).flatMap((page) => {
  const blocks = Map.groupBy(
    blocksOf(page).filter((block) => !isByHand(block) && block.language in KINDS),
    ({ language }) => KINDS[language] ?? '',
  )
  return [...blocks].map(([kind, some]) => ({ page, kind, blocks: some }))
})

test.each(RUNS)('the $kind blocks of $page do what it promises', async ({ page, kind, blocks }) => {
  await RUN[kind]?.(page, blocks)
})
