import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { Call } from '../../../clients/console/calls.ts'
import { ShellVariable } from '../../../clients/console/forms/shell-variable.ts'
import { curlOf } from '../../../clients/console/forms/curl.ts'

const ORIGIN = 'https://keymgr.example'

/** The arguments that a shell passes to the command. */
const argumentsOf = (command: string, environment: Readonly<Record<string, string>>): string[] => {
  const printed = command.replace(/^curl/, `printf '%s\\0'`)
  return execFileSync('sh', ['-c', printed], { env: { ...environment }, encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
}

test('a call is a command whose token is a variable of the shell', () => {
  const call: Call = { method: 'post', path: '/v1/vault/keys2', init: { body: { name: 'orders' } } }
  expect(curlOf(call, ORIGIN)).toContain('Bearer $TOKEN')
  expect(argumentsOf(curlOf(call, ORIGIN), { TOKEN: 'secret' })).toEqual([
    ...['-X', 'POST', `${ORIGIN}/api/v1/vault/keys2`, '-H', 'authorization: Bearer secret'],
    ...['-H', 'content-type: application/json', '-d', '{"name":"orders"}'],
  ])
})

test('header fields of a call are arguments', () => {
  const headers = { 'X-Keymgr-Approval': "it's" }
  const call: Call = { method: 'delete', path: '/v1/vault/keys2', init: { headers } }
  expect(argumentsOf(curlOf(call, ORIGIN), {})).toEqual([
    ...['-X', 'DELETE', `${ORIGIN}/api/v1/vault/keys2`, '-H', 'authorization: Bearer ', '-H'],
    "X-Keymgr-Approval: it's",
  ])
})

test('names in the path and in the query are spelled as addresses have them', () => {
  const path = '/v1/vault/keys2/{id}'
  const call: Call = {
    method: 'get',
    path,
    init: { path: { id: 'a/b ?' }, query: { version: 2, fields: ['meta', 'links'] } },
  }
  expect(argumentsOf(curlOf(call, ORIGIN), {})[0]).toBe(
    `${ORIGIN}/api/v1/vault/keys2/a%2Fb%20%3F?version=2&fields=meta&fields=links`,
  )
})

test.each([
  ['a quote', "it's"],
  ['what a shell would run', '$(id) `id` ; id'],
  ['a line break', 'a\nb'],
])('%s in a value reaches the command as it is', (_what, name) => {
  const call: Call = { method: 'patch', path: '/v1/x', init: { body: { name } } }
  expect(JSON.parse(argumentsOf(curlOf(call, ORIGIN), {}).at(-1) ?? '')).toEqual({ name })
})

test('a text that looks like a variable stays a text', () => {
  const labels = { a: '$AWS_SECRET_ACCESS_KEY', $HOME: '$TOKEN' }
  const call: Call = { method: 'post', path: '/v1/x', init: { body: { labels } } }
  const [sent = ''] = argumentsOf(curlOf(call, ORIGIN), { AWS_SECRET_ACCESS_KEY: 'secret', TOKEN: 't' }).slice(-1)
  expect(JSON.parse(sent)).toEqual({ labels })
})

test('a secret is a variable as well', () => {
  const body = { name: 'shop', password: new ShellVariable('password') }
  const call: Call = { method: 'post', path: '/v1/x', init: { body } }
  const command = curlOf(call, ORIGIN)
  expect(JSON.parse(argumentsOf(command, { PASSWORD: 'open sesame' }).at(-1) ?? '')).toEqual({
    name: 'shop',
    password: 'open sesame',
  })
})
