import * as fs from 'node:fs'
import * as path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { useCommandLine } from '../../support/command-line.ts'
import { filesBelow, found, textMarker } from '../../support/markers.ts'
import { ADMIN_PASSWORD, useService } from '../../support/service.ts'

/** Passes secrets to the command line, then searches for them in everything that it leaves behind. */
const service = useService()
const keymgr = useCommandLine()

const planted = {
  administrator: textMarker('password of the administrator', ADMIN_PASSWORD),
  user: textMarker('password of a user', 'Planted-User-7'),
  access: textMarker('secret access key', 'planted/Access/Key+7'),
  material: textMarker('key material', '00112233445566778899aabbccddeeff'),
  secret: textMarker('value of a secret', 'planted value of a secret'),
}
const markers = Object.values(planted)
const said: Buffer[] = []
const valueOf = (name: keyof typeof planted): string => planted[name].bytes.toString()

beforeAll(async () => {
  const { deployment, domain } = service()
  const words = ['login', '--url', deployment.baseUrl, '--name', 'admin', '--domain', domain.name]
  await ran([...words, '--password-file', '-'], 'administrator')
})

/**
 * Runs a command that reads a secret from standard input, and records its output and its entry in the list of
 * processes.
 */
async function ran(args: readonly string[], secret: keyof typeof planted): Promise<number | null> {
  const child = keymgr.start(args)
  const seen = fs.readFileSync(`/proc/${child.pid ?? 0}/cmdline`)
  child.stdin.end(`${valueOf(secret)}\n`)
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk))
  said.push(seen)
  return new Promise((resolve) => child.once('close', resolve))
}

test('a secret reaches the service only, in success, refusal, preview and a lost answer', async () => {
  const user = ['users', 'create', '--username', 'anna', '--password-file', '-']
  expect(await ran(user, 'user')).toBe(0)
  expect(await ran(user, 'user')).toBe(6)
  expect(await ran([...user, '--dry-run'], 'user')).toBe(0)
  expect(await ran([...user, '--email', 'none'], 'user')).toBe(7)
  const connection = ['connections', 'cloud-a', 'create', '--name', 'shop', '--access-key-id', 'AKIA0000000000000000']
  expect(await ran([...connection, '--secret-access-key-file', '-', '--dry-run'], 'access')).toBe(0)
  expect(await ran([...connection, '--secret-access-key-file', '-'], 'access')).toBe(0)
  const key = ['vault', 'keys', 'create', '--name', 'brought', '--algorithm', 'aes', '--material-file', '-']
  expect(await ran(key, 'material')).toBe(0)
  const secret = ['vault', 'secrets', 'create', '--name', 'kept', '--data-type', 'password', '--material-file', '-']
  expect(await ran(secret, 'secret')).toBe(0)
  expect(await ran([...secret, '--url', 'http://127.0.0.1:1'], 'secret')).toBe(3)
})

test('a token of the environment is in no call that is shown', async () => {
  const environment = { KEYMGR_TOKEN: valueOf('user') }
  const times = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-02T00:00:00Z']
  const asked = ['platform', 'audit-log-exports', 'create', '--source', 'dsp', ...times]
  for (const words of [asked, ['vault', 'keys', 'create', '--name', 'a']]) {
    const { code, out, error } = await keymgr.run([...words, '--dry-run'], { environment })
    expect(code, error).toBe(0)
    said.push(Buffer.from(out), Buffer.from(error))
  }
})

test('no output, argument or file contains a secret', () => {
  const places = [...filesBelow(keymgr.home), { name: 'what was said', content: Buffer.concat(said) }]
  expect(found(markers, places)).toEqual([])
  expect(found([planted.user], [{ name: 'a place', content: Buffer.from('Planted-User-7') }])).toHaveLength(1)
})

test('a token is in the file of its profile only, and never in the output', () => {
  const session = path.join(keymgr.home, '.local/state/keymgr/sessions/default.json')
  const { token, refresh_token } = JSON.parse(fs.readFileSync(session, 'utf8')) as Record<string, string>
  const tokens = [textMarker('token', token ?? ''), textMarker('refresh token', refresh_token ?? '')]
  const others = filesBelow(keymgr.home).filter(({ name }) => !name.endsWith('sessions/default.json'))
  expect(found(tokens, [...others, { name: 'what was said', content: Buffer.concat(said) }])).toEqual([])
})
