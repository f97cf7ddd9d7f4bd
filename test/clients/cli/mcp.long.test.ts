import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useCommandLine } from '../../support/command-line.ts'
import { useService } from '../../support/service.ts'

/** The official client drives `keymgr mcp`. `npm run test:long` installs it, so its types may be absent. */
interface Listed {
  readonly tools: readonly {
    readonly name: string
    readonly inputSchema: { readonly properties: Readonly<Record<string, object>> }
    readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean }
  }[]
}
interface Client {
  connect(transport: object): Promise<void>
  listTools(): Promise<Listed>
  callTool(call: { name: string; arguments?: object }): Promise<{
    readonly content: readonly { readonly text: string }[]
    readonly isError: boolean
  }>
  getServerVersion(): { readonly name: string }
  close(): Promise<void>
}

const tools = createRequire(new URL('../../../infra/tools/package.json', import.meta.url))
const { Client } = tools('@modelcontextprotocol/sdk/client') as { readonly Client: new (info: object) => Client }
const { StdioClientTransport } = tools('@modelcontextprotocol/sdk/client/stdio.js') as {
  readonly StdioClientTransport: new (server: object) => object
}

const service = useService()
const keymgr = useCommandLine()
const clients: Client[] = []

async function connected(...words: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const args = [keymgr.program, 'mcp', ...words]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: keymgr.environment }))
  clients.push(client)
  return client
}

async function call(client: Client, name: string, given: object = {}): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: given })
  return { text: content.map(({ text }) => text).join(''), isError }
}

beforeAll(async () => {
  const { code, error } = await keymgr.logIn(service())
  expect(code, error).toBe(0)
})
afterAll(() => Promise.all(clients.map((client) => client.close())))

test('by default, tools only read, and none accepts or returns a secret', async () => {
  const client = await connected()
  expect(client.getServerVersion().name).toBe('keymgr')
  const { tools: listed } = await client.listTools()
  expect(listed.length).toBeGreaterThan(150)
  expect(listed.filter(({ annotations }) => !annotations.readOnlyHint)).toEqual([])
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length)
  for (const { name } of listed) expect(name).toMatch(/^[a-z_-]{1,64}$/)
  await keymgr.done('vault', 'keys', 'create', '--name', 'orders', '--algorithm', 'aes', '--labels', 'env=prod')
  const { text, isError } = await call(client, 'vault_keys_list', { name: 'ord*', 'created-after': '1h' })
  expect({ isError, ...JSON.parse(text) }).toMatchObject({ isError: false, total: 1, resources: [{ name: 'orders' }] })
  for (const name of ['vault_keys_create', 'vault_keys_delete'])
    await expect(call(client, name)).rejects.toThrow('tool')
})

test('words limit the tools to groups of commands', async () => {
  const { tools: listed } = await (await connected('vault', 'audit')).listTools()
  expect(new Set(listed.map(({ name }) => name.split('_')[0]))).toEqual(new Set(['vault', 'audit']))
})

test('a change is shown first, and made only with the code of the same call', async () => {
  const client = await connected('vault', '--allow-changes')
  const { tools: listed } = await client.listTools()
  expect(listed.find(({ name }) => name === 'vault_keys_delete')?.annotations.destructiveHint).toBe(true)
  expect(listed.map(({ name }) => name)).not.toContain('vault_keys_export')
  expect(
    Object.keys(listed.find(({ name }) => name === 'vault_keys_create')?.inputSchema.properties ?? {}),
  ).not.toContain('material')
  const wanted = { name: 'made', algorithm: 'aes', size: 256, labels: { env: 'test' } }
  const { text: shown } = await call(client, 'vault_keys_create', wanted)
  expect(shown).toMatch(/^Nothing was changed\. The call would be:\ncurl -X POST "\$KEYMGR_URL\/v1\/vault\/keys2"/)
  const confirm = /confirm: (\S+)$/.exec(shown)?.[1] ?? ''
  expect((await call(client, 'vault_keys_create', { ...wanted, name: 'other', confirm })).text).toMatch(
    /^Nothing was c/,
  )
  expect((await call(client, 'vault_keys_create', { ...wanted, confirm: 'guessed' })).text).toMatch(/^Nothing was c/)
  expect(await keymgr.json('vault', 'keys', 'list', '--name', 'made,other', '--query', 'total')).toBe(0)
  const made = await call(client, 'vault_keys_create', { ...wanted, confirm })
  expect(JSON.parse(made.text)).toMatchObject({ name: 'made', labels: { env: 'test' } })
  expect((await call(client, 'vault_keys_create', { ...wanted, confirm })).text).toMatch(/^Nothing was changed/)
})

test('refusals are sentences, and secrets in answers are hidden', async () => {
  const client = await connected('vault', 'clients', '--allow-changes')
  expect(await call(client, 'vault_keys_get', { id: 'none' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^There is no such key\.\n/),
  })
  expect(await call(client, 'vault_keys_get', {})).toEqual({ isError: true, text: 'Required and not given: id.\n' })
  expect(await call(client, 'vault_keys_create', { material: '00112233' })).toMatchObject({
    isError: true,
    text: expect.not.stringContaining('00112233'),
  })
  const token = { label: 'tills' }
  const { text } = await call(client, 'clients_registration-tokens_create', token)
  const confirm = /confirm: (\S+)$/.exec(text)?.[1]
  const made = JSON.parse((await call(client, 'clients_registration-tokens_create', { ...token, confirm })).text)
  expect(made).toMatchObject({ label: 'tills', token: '*** (a secret; the command line shows it)' })
})

test('a line that is no request is refused, and the end of the input ends it', async () => {
  const input = ['{', '[]', '{"jsonrpc":"2.0","id":1,"method":"none"}', '{"jsonrpc":"2.0","method":"ping"}'].join('\n')
  const { code, out } = await keymgr.run(['mcp', 'vault'], { input })
  expect(code).toBe(0)
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).error.code),
  ).toEqual([-32_700, -32_600, -32_601])
  expect(await keymgr.run(['mcp', 'nothing'])).toMatchObject({ code: 2, out: '' })
})
