import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { useCommandLine } from '../../support/command-line.ts'
import { useService } from '../../support/service.ts'

/**
 * A typical session of the command line: the real program, one process per command, with a real service and a simulated
 * cloud.
 */
const service = useService()
const keymgr = useCommandLine()

beforeAll(async () => {
  const url = service().deployment.baseUrl
  const { code, error } = await keymgr.logIn(service())
  expect({ code, error }).toEqual({ code: 0, error: `Logged in at ${url}/api, kept as profile default.\n` })
})

test('a key is created, and listed in every form', async () => {
  const made = await keymgr.json(
    'vault',
    'keys',
    'create',
    '--name',
    'orders',
    '--algorithm',
    'aes',
    '--labels',
    'env=prod',
  )
  expect(made).toMatchObject({ name: 'orders', algorithm: 'aes', size: 256, labels: { env: 'prod' } })
  const list = ['vault', 'keys', 'list', '--name', 'orders']
  const { resources } = await keymgr.json(...list)
  expect(resources).toMatchObject([{ id: made.id }])
  expect(parse(await keymgr.done(...list, '-o', 'yaml')).resources).toEqual(resources)
  const [head = '', row = ''] = (await keymgr.done(...list, '-o', 'csv')).split('\n')
  expect(head.split(',')).toContain('labels.env')
  expect(row.split(',')[head.split(',').indexOf('name')]).toBe('orders')
  const [titles, cells] = (await keymgr.done(...list, '--output=table')).split('\n')
  expect(titles).toMatch(/^NAME +VERSION +STATE .*CREATED AT$/) // without the id of 64 characters
  expect(cells).toMatch(/^orders +0 +Active /)
  const { out: wide } = await keymgr.run([...list, '-o', 'table'], { environment: { COLUMNS: '200' } })
  expect(wide).toMatch(new RegExp(`^NAME .* ID\norders .* ${String(made.id)}\n$`))
})

test('names and ids are equivalent, and an answer is JSON without a terminal', async () => {
  const byName = await keymgr.done('vault', 'keys', 'get', 'orders')
  const { id } = JSON.parse(byName) as { id: string }
  expect(await keymgr.done('vault', 'keys', 'get', id)).toBe(byName)
})

test('columns are chosen by name, and a table is as wide as COLUMNS', async () => {
  const list = ['vault', 'keys', 'list', '--name', 'orders']
  expect(await keymgr.done(...list, '--columns', 'labels.env,name')).toBe('ENV   NAME\nprod  orders\n')
  expect(await keymgr.done(...list, '--columns', 'labels.env,name', '-o', 'csv')).toBe('labels.env,name\nprod,orders\n')
  expect(await keymgr.done('vault', 'keys', 'get', 'orders', '--columns', 'name')).toBe('FIELD  VALUE\nname   orders\n')
  const narrow = await keymgr.run([...list, '-o', 'table'], { environment: { COLUMNS: '60' } })
  for (const line of narrow.out.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  const wrong = await keymgr.run([...list, '--columns', 'nmae'])
  expect(wrong).toMatchObject({
    code: 11,
    error: 'The answer is shown whole: nothing in it is called nmae; name is.\n',
  })
  expect(JSON.parse(wrong.out)).toMatchObject({ total: 1 })
})

test('audit records are shown as time, user, message, resource and outcome', async () => {
  await service().deployment.fire('drain-outbox')
  const [titles, first] = (
    await keymgr.done('audit', 'records', 'list', '--message', 'Create Key', '-o', 'table')
  ).split('\n')
  expect(titles).toMatch(/^CREATED AT +USERNAME +MESSAGE +RESOURCE NAME +SUCCESS .*ID$/)
  expect(first).toMatch(/^\d{4}-.*Z +admin +Create Key +orders +true /)
})

test('a query selects parts of an answer', async () => {
  expect(await keymgr.json('vault', 'keys', 'list', '--query', 'resources[].{n: name, e: labels.env}')).toEqual([
    { n: 'orders', e: 'prod' },
  ])
  expect(await keymgr.done('vault', 'keys', 'get', 'orders', '--query', 'state', '-o', 'table')).toBe('Active\n')
})

test('fields come from a file, options override them, and a change is bound to the version that was read', async () => {
  const file = path.join(keymgr.folder, 'key.yaml')
  fs.writeFileSync(file, 'algorithm: aes\nsize: 128\ndescription: of a file\nlabels:\n  team: shop\n')
  const made = await keymgr.json('vault', 'keys', 'create', '--body', `@${file}`, '--name', 'filed', '--size', '192')
  expect(made).toMatchObject({ name: 'filed', size: 192, labels: { team: 'shop' }, description: 'of a file' })
  const stale = await keymgr.run(['vault', 'keys', 'update', 'filed', '--description', 'x', '--if-match', '"none"'])
  expect(stale.code).toBe(6)
  expect(await keymgr.json('vault', 'keys', 'update', 'filed', '--unset', 'description')).not.toHaveProperty(
    'description',
  )
})

test('members of an object are texts where the interface takes texts', async () => {
  const tags = ['TagKey=year,TagValue=2024', 'TagKey=sum,TagValue=a=b', 'TagKey=none,TagValue=null']
  const options = tags.flatMap((tag) => ['--cloud-a-param.tags', tag])
  const id = '00000000-0000-4000-8000-000000000000'
  const call = await keymgr.done('cloud-a', 'keys', 'link', id, ...options, '--dry-run')
  expect(JSON.parse(/-d '(.*)'/.exec(call)?.[1] ?? '')).toEqual({
    cloud_a_param: {
      Tags: [
        { TagKey: 'year', TagValue: '2024' },
        { TagKey: 'sum', TagValue: 'a=b' },
        { TagKey: 'none', TagValue: 'null' },
      ],
    },
  })
})

test('a member of a map and an object as a whole are cleared', async () => {
  await keymgr.done('vault', 'keys', 'create', '--name', 'labelled', '--algorithm', 'aes', '--labels', 'env=prod')
  const update = ['vault', 'keys', 'update', 'labelled', '--labels', 'team.eu=shop', '--unset', 'labels.env']
  expect(await keymgr.json(...update)).toMatchObject({ labels: { 'team.eu': 'shop' } })
  const { labels } = await keymgr.json('vault', 'keys', 'update', 'labelled', '--unset', 'labels.team.eu')
  expect(labels ?? {}).toEqual({})
  await keymgr.done('vault', 'keys', 'delete', 'labelled')
  const credentials = ['--access-key-id', 'AKIA0000000000000000', '--secret-access-key-file', '-']
  const made = ['connections', 'cloud-a', 'create', '--name', 'cleared', ...credentials]
  expect((await keymgr.run(made, { input: 'planted/Access/Key+7' })).code).toBe(0)
  await keymgr.done('connections', 'cloud-a', 'update', 'cleared', '--unset', 'role-anywhere')
  await keymgr.done('connections', 'cloud-a', 'delete', 'cleared')
})

test('lists are read whole', async () => {
  for (const name of ['one', 'two']) await keymgr.done('vault', 'keys', 'create', '--name', name, '--algorithm', 'aes')
  const { resources, total } = await keymgr.json('vault', 'keys', 'list', '--all', '--limit', '1')
  expect(resources.map(({ name }: { name: string }) => name)).toEqual(['orders', 'filed', 'one', 'two'])
  expect(total).toBe(4)
})

test('a cloud key is uploaded, found by its alias and rotated, and a synchronization reads the cloud', async () => {
  const [account] = service().deployment.cloudA.accounts
  const { accessKeyId = '', secretAccessKey = '' } = account?.credentials ?? {}
  const made = await keymgr.run(
    [
      'connections',
      'cloud-a',
      'create',
      '--name',
      'shop',
      '--access-key-id',
      accessKeyId,
      '--secret-access-key-file',
      '-',
    ],
    { input: `${secretAccessKey}\n` },
  )
  expect(made.error).toBe('')
  await keymgr.done('connections', 'cloud-a', 'test', 'shop')
  const { id } = account ?? { id: '' }
  const kms = ['--name', 'shop', '--account-id', id, '--connection', 'shop', '--regions', 'eu-west-1']
  await keymgr.done('cloud-a', 'kms', 'create', ...kms)
  const source = ['--kms', 'shop', '--region', 'eu-west-1', '--source-key-identifier', 'orders']
  await keymgr.done('cloud-a', 'upload-key', ...source, '--cloud-a-param.alias', 'orders')
  const rotated = await keymgr.json('cloud-a', 'keys', 'rotate', 'orders', '--retain-alias')
  const found = await keymgr.json('cloud-a', 'keys', 'get', 'orders')
  expect(found).toMatchObject({ id: rotated.id, cloud_a_param: { Alias: ['orders'] } })

  const waited = await keymgr.run(['cloud-a', 'synchronization-jobs', 'start', '--kms', 'shop', '--wait'])
  expect(waited.code, waited.error).toBe(0)
  expect(waited.error).toMatch(/completed\n$/)
  expect(JSON.parse(waited.out)).toMatchObject({ overall_status: 'completed' })
  expect(await keymgr.json('connections', 'cloud-a', 'list', '--query', 'resources[].name')).toEqual(['shop'])
})

test('Ctrl-C ends the wait for a job, and the job continues', async () => {
  const held = Promise.withResolvers<undefined>()
  const after = (): Promise<undefined> => held.promise
  service().deployment.cloudA.inject({ operation: 'ListKeys', fault: 'observe', times: 1, after })
  const child = keymgr.start(['cloud-a', 'synchronization-jobs', 'start', '--kms', 'shop', '--wait'])
  let error = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    error += chunk
    if (chunk.includes('in_progress')) child.kill('SIGINT')
  })
  const [code] = await once(child, 'close')
  held.resolve(undefined)
  expect({ code, error }).toEqual({
    code: 130,
    error: expect.stringMatching(/in_progress.*\nThe job goes on at the service\.\n$/),
  })
  const [id] = await keymgr.json(
    'cloud-a',
    'synchronization-jobs',
    'list',
    '--sort=-createdAt',
    '--query',
    'resources[].id',
  )
  const job = await keymgr.json('cloud-a', 'synchronization-jobs', 'get', id, '--wait')
  expect(job).toMatchObject({ overall_status: 'completed' })
})

test('a dry run asks for a preview where there is one, and shows the call elsewhere', async () => {
  const job = ['--name', 'nightly', '--operation', 'keymgr_synchronization', '--run-at', '0 3 * * *']
  const params = [
    '--keymgr-synchronization-params.cloud-name',
    'cloud-a',
    '--keymgr-synchronization-params.synchronize-all',
  ]
  const previewed = await keymgr.run(['scheduler', 'job-configs', 'create', ...job, ...params, '--dry-run'])
  expect(previewed.error).toBe(
    'Dry run: nothing was changed. The service was asked by POST /v1/scheduler/job-configs/preview:\n',
  )
  expect(JSON.stringify(JSON.parse(previewed.out))).toContain('T03:00:00')
  const table = await keymgr.run(['scheduler', 'job-configs', 'create', ...job, ...params, '--dry-run', '-o', 'table'])
  expect(table.out).toMatch(/^RUN AT +TOTAL COUNT +LASTS SECONDS\n\S+T03:00:00/)
  const issuer = ['workspace-cse', 'issuers', 'create', '--name', 'none', '--jwks-url', 'https://127.0.0.1:1/jwks']
  const tried = await keymgr.run([...issuer, '--dry-run'])
  expect(tried.error).toContain('The service was asked by POST /v1/keymgr/WorkspaceCSE/issuers')
  expect(await keymgr.json('workspace-cse', 'issuers', 'list', '--query', 'total')).toBe(0)
  const rotated = await keymgr.json('vault', 'keys', 'rotate', 'orders', '--dry-run')
  expect(rotated).toMatchObject({ dry_run: true, changes: [{ action: 'update' }, { action: 'create' }] })
  const shown = await keymgr.run(['vault', 'keys', 'create', '--name', 'none', '--dry-run'])
  expect(shown).toMatchObject({ code: 0, error: expect.stringContaining('the call would be:') })
  expect(shown.out).toContain('curl -X POST "$KEYMGR_URL/v1/vault/keys2"')
  const day = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-02T00:00:00Z']
  const atRoot = await keymgr.done('platform', 'audit-log-exports', 'create', ...day, '--dry-run')
  expect(atRoot).toContain('curl -X POST "${KEYMGR_URL%/api}/platform/api/v1/audit-log-exports"')
  expect(await keymgr.json('scheduler', 'job-configs', 'list', '--query', 'total')).toBe(0)
  await keymgr.done('vault', 'keys', 'get', 'orders')
})

test('a report is made, waited for and downloaded', async () => {
  const wanted = ['--name', 'ages', '--report-type', 'key-aging', '--cloud-a-params', 'kms=shop']
  const made = await keymgr.json('cloud-a', 'reports', 'create', ...wanted, '--wait')
  expect(made).toMatchObject({ overall_status: 'completed' })
  const file = path.join(keymgr.folder, 'ages.csv')
  await keymgr.done('cloud-a', 'reports', 'download', 'ages', '--out', file)
  expect(fs.readFileSync(file, 'utf8').split('\n').length).toBeGreaterThan(2)
})

test('texts and downloads are written unchanged, into a file that only its owner can read', async () => {
  expect(await keymgr.done('system', 'metrics')).toContain('# TYPE')
  const file = path.join(keymgr.folder, 'metrics.txt')
  expect(await keymgr.done('system', 'metrics', '--out', file)).toBe('')
  expect(fs.readFileSync(file, 'utf8')).toContain('# TYPE')
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
})

test('a file behind a link is written, and the link stays', async () => {
  const [file, link] = [path.join(keymgr.folder, 'behind.txt'), path.join(keymgr.folder, 'link.txt')]
  fs.writeFileSync(file, 'before')
  fs.symlinkSync(file, link)
  await keymgr.done('system', 'metrics', '--out', link)
  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true)
  expect(fs.readFileSync(file, 'utf8')).toContain('# TYPE')
})

test('a device is written to, and an answer that it has no room for is shown', async () => {
  const link = path.join(keymgr.folder, 'full')
  fs.symlinkSync('/dev/full', link)
  const { code, out, error } = await keymgr.run(['system', 'metrics', '--out', link])
  expect({ code, error }).toEqual({ code: 11, error: expect.stringContaining('ENOSPC') })
  expect(out).toContain('# TYPE')
  expect(fs.statSync(link).isCharacterDevice()).toBe(true)
})

test('a file that cannot be written completely is removed', async () => {
  const folder = path.join(keymgr.folder, 'small')
  fs.mkdirSync(folder)
  const limited = ['-c', 'ulimit -f 8; exec "$@"', 'sh', process.execPath, keymgr.program]
  const words = ['api-description', '--out', path.join(folder, 'description.json')]
  const child = spawn('sh', [...limited, ...words], { env: keymgr.environment, stdio: 'ignore' })
  expect(await once(child, 'close')).toEqual([11, null])
  expect(fs.readdirSync(folder)).toEqual([])
})

test('bytes are written to a file or a pipe', async () => {
  await keymgr.done('ca', 'local-cas', 'create', '--cn', 'Shop Root', '--name', 'root')
  await keymgr.done('ca', 'local-cas', 'self-sign', 'root')
  const file = path.join(keymgr.folder, 'root.crl')
  await keymgr.done('ca', 'local-cas', 'crl', 'root', '--out', file)
  expect(fs.readFileSync(file)[0]).toBe(0x30)
})

test('a certificate is found by its name below that of its authority', async () => {
  const { csr } = await keymgr.json('ca', 'csr', 'make', '--cn', 'till')
  const wanted = ['--csr', csr as string, '--purpose', 'client', '--name', 'till']
  const { id } = await keymgr.json('ca', 'local-cas', 'certs', 'issue', 'root', ...wanted)
  expect(await keymgr.json('ca', 'local-cas', 'certs', 'get', 'root', 'till')).toMatchObject({ id, name: 'till' })
})

test('a record with resources of its own is shown whole', async () => {
  const fields = ['--name', 'readers', '--actions', 'ReadKey', '--resources', '*', '--effect', 'allow']
  const lines = (await keymgr.done('policies', 'create', ...fields, '-o', 'table')).split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/^name +readers$/))
  expect(lines).toContainEqual(expect.stringMatching(/^resources +\*$/))
})

test('a job that fails shows its record, and ends with a code of its own', async () => {
  const update = ['connections', 'cloud-a', 'update', 'shop', '--secret-access-key-file', '-']
  expect((await keymgr.run(update, { input: 'no longer right' })).code).toBe(0)
  const { code, out, error } = await keymgr.run(['cloud-a', 'synchronization-jobs', 'start', '--kms', 'shop', '--wait'])
  expect(code, error).toBe(10)
  expect(JSON.parse(out)).toMatchObject({ overall_status: 'failed' })
  expect(error).toMatch(/^The job ended as failed\.$/m)
})
