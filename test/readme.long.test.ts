import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROUTES } from '../infra/routes.ts'
import { temporaryFolder } from './infra/local/deployment-support.ts'
import { ADMIN_PASSWORD, useService } from './support/service.ts'

const service = useService()
const root = path.join(import.meta.dirname, '..')
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8')

interface Manifest {
  readonly name: string
  readonly workspaces: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest

const commandsBelow = (mark: string): string =>
  new RegExp(`<!-- ${mark} -->\\s+\`\`\`sh\\n([^\`]+)\`\`\``).exec(readme)?.[1]?.trim() ?? ''

/** Runs lines of the README one after the other, in a folder with the `endpoints.json` of a laptop. */
async function run(commands: string): Promise<string> {
  const { baseUrl, cloudA, cloudB, cloudC, workspace } = service().deployment
  const cwd = temporaryFolder()
  fs.mkdirSync(path.join(cwd, '.keymgr'))
  const accounts = cloudA.accounts.map(({ id, credentials: { accessKeyId, secretAccessKey } }) => ({
    id,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
  }))
  const [application] = cloudB.credentials
  const cloud_b = {
    tenant_id: application?.tenantId,
    client_id: application?.clientId,
    client_secret: application?.clientSecret,
    subscription_id: cloudB.subscriptions()[0]?.id,
  }
  const endpoints = {
    cloud_a: { accounts },
    cloud_b,
    cloud_c: { key_files: cloudC.keyFiles },
    workspace: { openid_configuration_url: workspace.openidConfigurationUrl },
  }
  fs.writeFileSync(path.join(cwd, '.keymgr/endpoints.json'), JSON.stringify(endpoints))
  const env = { PATH: process.env.PATH, BASE: `${baseUrl}/api`, KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD }
  const { stdout } = await promisify(execFile)('sh', ['-ec', commands], { cwd, env })
  return stdout
}

test('the commands of the README get a token, make a first key, read it and show its audit record', async () => {
  const commands = commandsBelow('a test runs these')
  expect(commands.split('\n')).toHaveLength(5)
  const stdout = await run(commands)
  expect(stdout).toContain('"name":"first"')
  expect(stdout).toContain('"message":"Create Key"')
})

test('its ten lines of cloud-a upload that key, rotate it and read the account in', async () => {
  const [logIn, tenLines] = [commandsBelow('a test runs these'), commandsBelow('a test runs these too')]
  expect(tenLines.split('\n')).toHaveLength(10)
  const stdout = await run([...logIn.split('\n').slice(0, 2), tenLines].join('\n'))
  expect(stdout).toContain('"connection_ok":true')
  expect(stdout).toContain('"rotation_status":"ACTIVE"')
  expect(stdout).toContain('"overall_status":"in_progress"')
  expect(stdout).toMatch(/"total":2,"resources":.*"local_key_name":"first"/)
  expect(stdout).not.toContain('"codeDesc"')
})

/** The output of the lines below a mark, after a log-in, `post` and `ACCOUNT`. */
function runBelow(mark: string): Promise<string> {
  const [logIn, tenLines] = [commandsBelow('a test runs these'), commandsBelow('a test runs these too')]
  const lines = commandsBelow(mark)
  expect(lines, mark).not.toBe('')
  return run([...logIn.split('\n').slice(0, 2), ...tenLines.split('\n').slice(0, 2), lines].join('\n'))
}

test('its lines of schedules show which local keys would be rotated, attach a cloud key, and synchronize', async () => {
  const stdout = await runBelow('a test runs these as well')
  expect(stdout).toMatch(/"runs":\[.*"resource_name":"ledger"/)
  expect(stdout).toContain('"job_config_id"')
  expect(stdout).toContain('"triggered_by":"manual"')
  expect(stdout).not.toContain('"codeDesc"')
})

test.each([
  ['key stores', '"healthStatus":"ACTIVE"', '"custom_key_store_id"'],
  ['EKM endpoints', '"allowed":true', '"kekVersion":"1"'],
  ['KACLS endpoints', '"allowed":true', '"kek_version":"1"'],
  ['DKE endpoints', '"kek_version":"1"', '"auto_rotate":true'],
  ['certificate authorities', '"state":"active"', '"revoked_reason":"superseded"'],
  ['policies', '"effect":"deny"', '"allowed":false'],
  ['registered clients', '"authentication_mode":"dn"', '"state":"revoked"'],
  ['reports', '"report_type":"key-aging"', '"report_type":"key-report"'],
])('its lines for %s are taken as they stand', async (what, first, second) => {
  const stdout = await runBelow(`a test runs these for ${what}`)
  expect(stdout).toContain(first)
  expect(stdout).toContain(second)
  expect(stdout).not.toContain('"codeDesc"')
})

test('its seven lines of cloud-b upload a key into hardware there', async () => {
  const stdout = await runBelow('a test runs these in vaults')
  expect(stdout).toMatch(/"key_name":"orders".*"kty":"RSA-HSM".*"local_key_name":"pair"/)
  expect(stdout).not.toContain('"codeDesc"')
})

test('its six lines of cloud-c upload the key there and add a version', async () => {
  const [logIn, tenLines, sixLines] = ['a test runs these', 'a test runs these too', 'a test runs these on top'].map(
    commandsBelow,
  ) as [string, string, string]
  expect(sixLines.split('\n')).toHaveLength(6)
  const [post = ''] = tenLines.split('\n')
  const stdout = await run([...logIn.split('\n').slice(0, 2), post, sixLines].join('\n'))
  expect(stdout).toContain('"client_email"')
  expect(stdout).toMatch(/"is_primary":true.*"version":"2"|"version":"2".*"is_primary":true/)
  expect(stdout).not.toContain('"codeDesc"')
})

test('every dependency has its reason in the README', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifestOf('.')
  const table = readme.slice(readme.indexOf('## Why each dependency'))
  const shortened = (name: string): boolean =>
    name.startsWith('@aws-sdk/client-') && table.includes(`\`${name.slice(15)}\``)
  const missing = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
    (name) => !table.includes(`\`${name}\``) && !shortened(name),
  )
  expect(missing).toEqual([])
})

test.each(manifestOf('.').workspaces)('%s has a README, with the reason of every dependency', (folder) => {
  const page = fs.readFileSync(path.join(root, folder, 'README.md'), 'utf8')
  const reasons = page.slice(page.indexOf('## Dependencies'))
  const foreign = Object.keys(manifestOf(folder).dependencies ?? {}).filter((name) => !name.startsWith('@keymgr/'))
  expect(foreign.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([])
})

test('every address the README names is a route', () => {
  const named = [...readme.matchAll(/\$BASE(\/v1\/[a-z0-9/.-]*[a-z0-9-])/g)].map(([, address = '']) => address)
  expect(named.length).toBeGreaterThan(3)
  for (const address of named)
    expect(
      ROUTES.some(({ path: pattern }) => new RegExp(`^${pattern.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(address)),
      address,
    ).toBe(true)
})

test('every test that SECURITY.md names exists', () => {
  const page = fs.readFileSync(path.join(root, 'SECURITY.md'), 'utf8')
  const named = [...page.matchAll(/\| `(test\/[^`]+)`: ([^|]+?) +\|/g)]
  expect(named.length).toBeGreaterThan(15)
  const missing = named.filter(
    ([, file = '', name = '']) => !fs.readFileSync(path.join(root, file), 'utf8').includes(name),
  )
  expect(missing.map(([, file, name]) => `${file}: ${name}`)).toEqual([])
})
