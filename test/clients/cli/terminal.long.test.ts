import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { useCommandLine } from '../../support/command-line.ts'
import { ADMIN_PASSWORD, useService } from '../../support/service.ts'

/** Behaviour on a terminal: secrets are prompted for without echo, lists are tables, jobs have a progress bar. */
const service = useService()
const keymgr = useCommandLine()
let url = ''

beforeAll(() => {
  url = service().deployment.baseUrl
})

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Runs it on its own terminal (`script` of util-linux), and types answers to prompts. */
async function atTerminal(args: readonly string[], answers: Readonly<Record<string, string>> = {}) {
  const command = [process.execPath, keymgr.program, ...args].map(quoted).join(' ')
  const child = spawn('script', ['-qec', `stty cols 100; ${command}`, '/dev/null'], { env: keymgr.environment })
  const open = new Map(Object.entries(answers))
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk
    for (const [question, answer] of open)
      if (out.includes(question) && open.delete(question)) child.stdin.write(`${answer}\r`)
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out: out.replaceAll('\r\n', '\n') }
}

test('name and password are asked for, and the password is not shown', async () => {
  const { code, out } = await atTerminal(['login', '--url', url], { 'Name: ': 'admin', 'password: ': ADMIN_PASSWORD })
  expect(code, out).toBe(0)
  expect(out).toContain('Logged in at')
  expect(out).not.toContain(ADMIN_PASSWORD)
})

test('Ctrl-C at a question ends with 130', async () => {
  const { code } = await atTerminal(['login', '--url', url, '--name', 'admin'], { 'password: ': '\u0003' })
  expect(code).toBe(130)
})

test('a required secret is asked for', async () => {
  const typed = { 'password: ': 'Pass-word-1x' }
  const { code, out } = await atTerminal(['users', 'create', '--username', 'anna', '--password'], typed)
  expect(code, out).toBe(0)
  expect(out).not.toContain('Pass-word-1x')
})

test('a list is a table as wide as the terminal', async () => {
  await keymgr.done('vault', 'keys', 'create', '--name', 'orders', '--algorithm', 'aes')
  const { out } = await atTerminal(['vault', 'keys', 'list'])
  const lines = out.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^NAME +VERSION +STATE/)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
})

test('a deletion is confirmed at a terminal, unless --yes is given', async () => {
  await keymgr.done('vault', 'keys', 'create', '--name', 'asked', '--algorithm', 'aes', '--state', 'Pre-Active')
  const words = ['vault', 'keys', 'delete', 'asked']
  const refused = await atTerminal(words, { '[y/N] ': 'n' })
  expect(refused).toMatchObject({ code: 130, out: expect.stringContaining('Delete Key asked? ') })
  expect(refused.out).toContain('what it encrypted can no longer be read. [y/N] ')
  expect(refused.out).toContain('Nothing was changed.')
  await keymgr.done('vault', 'keys', 'get', 'asked')
  expect((await atTerminal(words, { '[y/N] ': 'yes' })).code).toBe(0)
  await keymgr.done('vault', 'keys', 'create', '--name', 'unasked', '--algorithm', 'aes')
  const { code, out } = await atTerminal(['vault', 'keys', 'delete', 'unasked', '--yes'])
  expect(code, out).toBe(0)
  expect(out).not.toContain('[y/N]')
})

test('the ETag of a record is shown, and binds a change to the version that was read', async () => {
  await keymgr.done('vault', 'keys', 'create', '--name', 'bound', '--algorithm', 'aes')
  const { out } = await atTerminal(['vault', 'keys', 'get', 'bound'])
  const etag = /^ETag: (".+")$/m.exec(out)?.[1] ?? ''
  const update = ['vault', 'keys', 'update', 'bound', '--description', 'seen', '--if-match', etag]
  expect(await keymgr.run(update)).toMatchObject({ code: 0, error: '' })
  expect(await keymgr.run(update)).toMatchObject({ code: 6 })
})

test('a job has a line that is drawn anew', async () => {
  await keymgr.done('cloud-a', 'reports', 'create', '--help')
  const [account] = service().deployment.cloudA.accounts
  const { accessKeyId = '', secretAccessKey = '' } = account?.credentials ?? {}
  const file = path.join(keymgr.folder, 'secret')
  fs.writeFileSync(file, secretAccessKey)
  const credentials = ['--access-key-id', accessKeyId, '--secret-access-key-file', file]
  await keymgr.done('connections', 'cloud-a', 'create', '--name', 'shop', ...credentials)
  await keymgr.done('connections', 'cloud-a', 'test', 'shop')
  const place = ['--account-id', account?.id ?? '', '--connection', 'shop', '--regions', 'eu-west-1']
  await keymgr.done('cloud-a', 'kms', 'create', '--name', 'shop', ...place)
  const { code, out } = await atTerminal(['cloud-a', 'synchronization-jobs', 'start', '--kms', 'shop', '--wait'])
  expect(code, out).toBe(0)
  expect(out).toMatch(/\r\u001b\[K.*completed/)
})
