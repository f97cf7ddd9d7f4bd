import * as fs from 'node:fs'
import * as path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { useCommandLine } from '../../support/command-line.ts'
import { useService } from '../../support/service.ts'

/** Refusals of the command line, with their messages and exit codes. */
const service = useService()
const keymgr = useCommandLine()

beforeAll(async () => {
  const { code, error } = await keymgr.logIn(service())
  expect(code, error).toBe(0)
})

const NOBODY = '00000000-0000-4000-8000-000000000000'

/** Runs a command line that is refused before the service is called. */
async function misused(...args: string[]): Promise<string> {
  const { code, out, error } = await keymgr.run(args)
  expect({ code, out }, error).toEqual({ code: 2, out: '' })
  expect(error).not.toMatch(/^\s+at /m)
  return error
}

test.each([
  [['vualt', 'keys', 'list'], 'keymgr has no "vualt". Did you mean vault?'],
  [['vault', 'kesy', 'list'], 'keymgr vault has no "kesy". Did you mean keymgr vault keys?'],
  [['vault', 'keys', 'destory'], 'keymgr vault keys has no "destory".'],
  [['vault', 'keys', 'crate'], 'keymgr vault keys has no "crate". Did you mean keymgr vault keys create?'],
  [['key', 'list'], 'keymgr has no "key". Did you mean keymgr vault keys list?'],
  [['keys', 'delete', 'orders'], 'keymgr has no "keys". Did you mean keymgr vault keys?'],
  [['vault', 'secrets', 'rotate', 'a'], 'Did you mean keymgr vault secrets versions create?'],
  [['cloud-c', 'keys', 'rotate', 'a'], 'Did you mean keymgr cloud-c keys versions create?'],
  [['vault', 'keys', 'remove', 'a'], 'keymgr vault keys has no "remove".\n'],
  [['public-cloud', 'keys'], 'Clouds have neutral names: cloud-a ('],
  [['cloud-a', 'upload-key', '--alais', 'a'], 'There is no option --alais here. Did you mean --alias?'],
  [['scheduler', 'job-configs', 'create', '--cloud-name', 'cloud-a'], '--cloud-name is one of: --'],
  [['vault', 'keys', 'create', '--activation-date', 'tomorrow'], '--activation-date takes a time (2030-01-31, '],
  [['vault', 'keys', 'create', '--activation-date', '2030-02-30'], 'names no day of the calendar: "2030-02-30".'],
  [['vault', 'keys', 'list', '--columns', 'name', '-o', 'json'], '--columns is for tables and csv; --query selects'],
  [['vault', 'keys', 'list', '--columns', 'name,,id'], '--columns takes names with commas between them.'],
  [['vault', 'keys', 'list', '--yes'], 'There is no option --yes here.'],
  [['vault', 'keys'], 'keymgr vault keys takes one of: list, create, get'],
  [['vault', 'keys', 'get'], 'keymgr vault keys get takes id after it; 0 given.'],
  [['vault', 'keys', 'get', ''], 'id is empty, "." or "..": give an id or a name.'],
  [['vault', 'keys', 'destroy', '?'], 'has a "?": give the id.'],
  [['cloud-c', 'keys', 'versions', 'delete', 'key', '..', '--dry-run'], 'is empty, "." or "..": give an id or a name.'],
  [['vault', 'keys', 'list', '--nmae', 'a'], 'There is no option --nmae here. Did you mean --name?'],
  [['vault', 'keys', 'list', '--state', 'active'], '--state takes Pre-Active, Active'],
  [['vault', 'keys', 'list', '-o', 'xml'], '--output takes table, json, yaml, csv; not "xml".'],
  [['vault', 'keys', 'list', '-x'], 'There is no option -x.'],
  [['vault', 'keys', 'list', '--body', '@a'], 'There is no option --body here.'],
  [['vault', 'keys', 'create', '--size', 'big'], '--size takes a whole number, not "big".'],
  [['vault', 'keys', 'create', '--labels', 'env'], '--labels takes name=value, not "env".'],
  [['vault', 'keys', 'create', '--xts=maybe'], '--xts takes true or false, not "maybe".'],
  [['vault', 'keys', 'create', '--name'], '--name needs a value.'],
  [['vault', 'keys', 'create', '--body', '{"name":"a"}'], '--body takes @file, or - for the standard input'],
  [['vault', 'keys', 'create', '--body', '@none.json'], 'The file none.json is not there.'],
  [['vault', 'keys', 'update', 'a', '--unset', 'nmae'], '--unset nmae is no field that can be cleared.'],
  [['vault', 'keys', 'list', '--query', '[['], '--query is no JMESPath expression'],
  [['vault', 'keys', 'list', '--out', '/no/such/folder/f'], 'The file /no/such/folder/f of --out cannot be written.'],
  [['vault', 'keys', 'list', '--out', '.'], 'The file . of --out cannot be written.'],
  [['whoami', '--query', '[['], '--query is no JMESPath expression'],
  [['--name', 'x', 'vault', 'keys', 'create'], 'keymgr takes words first, then options.'],
  [['--bogus'], 'keymgr takes words first, then options.'],
  [['completion', 'tcsh'], 'keymgr completion takes one of: bash, zsh, fish.'],
  [['help', 'vault', 'kyes'], 'keymgr vault has no "kyes".'],
])('%j is misused', async (args, sentence) => {
  expect(await misused(...args)).toContain(sentence)
})

test('all wrong and missing arguments are reported at once', async () => {
  const wrong = await misused('vault', 'keys', 'create', '--size', 'big', '--xts=maybe', '--nmae', 'a')
  expect(wrong.trimEnd().split('\n')).toHaveLength(3)
  expect(await misused('cloud-a', 'kms', 'create')).toBe(
    'Required and not given: --name, --account-id, --connection, --regions.\n',
  )
  expect(await misused('users', 'create')).toBe('Required and not given: --username.\n')
  expect(await misused('vault', 'secrets', 'create', '--name', 'a')).toBe(
    'Required and not given: --data-type, --material-file or --material-env.\n',
  )
})

const PEM = '-----BEGIN PRIVATE KEY-----\nMarked\n-----END PRIVATE KEY-----'

test.each([
  [['users', 'create', '--username', 'a', '--password', 'Marked-Secret-1']],
  [['users', 'create', '--username', 'a', '--password=Marked-Secret-1']],
  [['users', 'create', '--username', 'a', '--password-env', 'Marked-Secret-1']],
  [['users', 'create', '--username', 'a', '--password-file', 'Marked-Secret-1']],
  [['users', '--password', 'Marked-Secret-1', 'create']],
  [['users', 'create', 'Marked-Secret-1']],
  [['login', '--name', 'a', '--password', 'Marked-Secret-1']],
  [['connections', 'cloud-a', 'create', '--secret-access-key', 'Marked-Secret-1']],
  [['connections', 'cloud-c', 'create', '--name', 'a', '--key-file', '{"private_key":"Marked-Secret-1"}']],
  [['vault', 'secrets', 'create', '--pasword', 'Marked-Secret-1']],
  [['vault', 'keys', 'create', '--material', PEM]],
  [['vault', 'keys', 'create', '--materiel', PEM]],
  [['vault', 'keys', 'create', PEM]],
  [[PEM, 'vault']],
])('a secret as an argument is refused and not repeated: %j', async (args) => {
  expect(await misused(...args)).not.toMatch(/Marked|BEGIN/)
})

test('PEM is a value, though it begins with hyphens', async () => {
  expect(await misused('ca', 'external-cas', 'create', '--cert', PEM, '--nmae', 'a')).toBe(
    'There is no option --nmae here. Did you mean --name?\n',
  )
})

test('a secret as an argument is refused with a sentence that names the safe ways', async () => {
  expect(await misused('users', 'create', '--username', 'a', '--password', 'x')).toBe(
    '--password is a secret, and no argument: other users of this machine and the history of the shell would see it.\n' +
      'Give it by --password-file file (- for the standard input), by --password-env with the name of an environment ' +
      'variable, or by --password without a value, at a prompt.\n',
  )
})

test.each([
  [5, ['vault', 'keys', 'get', 'none'], /^There is no such key\.\nTrace id: [\w-]+\.\n$/],
  [5, ['cloud-a', 'keys', 'rotate', 'none'], /^Nothing has the alias "none"\.\n$/],
  [5, ['workspace-cse', 'endpoints', 'perimeters', 'set', NOBODY, '--body', '-'], /./],
  [2, ['cloud-a', 'keys', 'rotate', 'no*'], /^"no\*" has \*, \? or a comma\. Give the id\.\n$/],
  [
    7,
    ['vault', 'keys', 'create', '--name', 'a<b', '--size', '7'],
    /^The service finds the request invalid\.\n--name must have /,
  ],
  [7, ['vault', 'keys', 'list', '--sort', 'nothing'], /--sort/],
  [3, ['vault', 'keys', 'list', '--profile', 'nobody'], /profile nobody/],
  [8, ['vault', 'keys', 'list', '--url', 'http://127.0.0.1:1'], /does not answer/],
] as const)('exit code %i for %j', async (wanted, args, said) => {
  const environment = args.some((each) => each.includes('127.0.0.1')) ? { KEYMGR_TOKEN: 'any' } : {}
  const { code, out, error } = await keymgr.run(args, { environment, input: 'package perimeter' })
  expect(error).toMatch(said)
  expect({ code, out }).toEqual({ code: wanted, out: '' })
})

test.each([
  ['--query', 'a['],
  ['--out', '/no/such/folder/f'],
])('nothing is changed where %s %s cannot be met', async (...wish) => {
  await misused('audit', 'platform-credentials', 'create', '--name', 'feed', ...wish)
  expect(await keymgr.json('audit', 'platform-credentials', 'list', '--query', 'total')).toBe(0)
})

test('an answer that --query fails on is shown whole', async () => {
  const { code, out, error } = await keymgr.run(['vault', 'keys', 'list', '--query', 'abs(resources)'])
  expect({ code, error }).toEqual({ code: 11, error: expect.stringMatching(/^The answer is shown whole: .*abs/) })
  expect(JSON.parse(out)).toMatchObject({ skip: 0, resources: [] })
})

test('a user without permission gets a clear refusal', async () => {
  const { token } = await service().userIn(await service().logIn(), 'reader', [])
  const { baseUrl } = service().deployment
  const environment = { KEYMGR_TOKEN: token, KEYMGR_URL: `${baseUrl}/api` }
  expect(await keymgr.run(['users', 'list'], { environment })).toMatchObject({ code: 4, out: '' })
})

test('a name of several is refused with the candidates', async () => {
  const made: string[] = []
  for (let count = 0; count < 2; count++) {
    const { id } = await keymgr.json('clients', 'registration-tokens', 'create', '--label', 'tills')
    made.push(id as string)
  }
  const { code, error } = await keymgr.run(['clients', 'registration-tokens', 'get', 'tills'])
  expect(code).toBe(5)
  expect(error).toContain('"tills" is the label of 2. Give the id of one:\n')
  for (const id of made) expect(error).toContain(`  ${id}, tills`)
})

test('a name with a comma does not mean the record of one of its parts', async () => {
  const { id } = await keymgr.json('clients', 'registration-tokens', 'create', '--label', 'counters')
  const { code, error } = await keymgr.run(['clients', 'registration-tokens', 'delete', 'counters,eu'])
  expect({ code, error }).toEqual({ code: 2, error: '"counters,eu" has *, ? or a comma. Give the id.\n' })
  await keymgr.done('clients', 'registration-tokens', 'get', id as string)
})

test('control characters in names of other users do not reach the terminal', async () => {
  const label = '\u001b]0;owned\u0007\u202etxt\u061c\u0085\u2028\u{e0041}'
  const body = { name: 'plain', algorithm: 'aes', labels: { note: label } }
  const made = await service().call('POST', '/v1/vault/keys2', { token: await service().logIn(), body })
  expect(made.status).toBe(201)
  for (const format of ['table', 'json', 'csv', 'yaml']) {
    const out = await keymgr.done('vault', 'keys', 'get', 'plain', '-o', format)
    expect(out).toContain('owned')
    expect(out).not.toMatch(/[\u001b\u0007\u202e\u061c\u0085\u2028\u{e0041}]/u)
    if (format === 'json' || format === 'yaml') expect(parse(out).labels.note).toBe(label)
  }
})

test('Ctrl-C ends the command at once, and a closed reader is no error', async () => {
  const waiting = keymgr.start(['users', 'create', '--username', 'a', '--password-file', '-'])
  const file = path.join(keymgr.folder, 'fifo')
  fs.writeFileSync(file, '')
  const ended = new Promise<unknown>((resolve) => waiting.once('close', (code, signal) => resolve(code ?? signal)))
  waiting.kill('SIGINT')
  expect(await ended).toSatisfy((how) => how === 130 || how === 'SIGINT')
  const reading = keymgr.start(['api-description'])
  reading.stdout.destroy()
  expect(await new Promise((resolve) => reading.once('close', resolve))).toBe(0)
})
