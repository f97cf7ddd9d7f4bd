import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudB, type CloudBSimulator } from '../../../../../infra/simulators/cloud-b/simulator.ts'
import { createClock } from '../../../../../infra/local/clock.ts'
import { clientsOf, refusalOf, send } from '../clients.ts'

const START = Date.parse('2026-05-01T00:00:00.000Z')
const clock = createClock()
let simulator: CloudBSimulator
let workspace: string
let bearer: string

beforeAll(async () => {
  simulator = await startCloudB({ clock })
  workspace = simulator.workspaces()[0]?.id ?? ''
  const keys = clientsOf(simulator).keys('shop-premium')
  clock.set(new Date(START))
  bearer = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'logs')
  await keys.createEcKey('one')
  await keys.createEcKey('two')
  await refusalOf(keys.getKey('three'))
  clock.set(new Date(START + 60_000))
  await clientsOf(simulator, simulator.credentials[2])
    .keys('shop-spare')
    .getKey('one')
    .catch(() => undefined)
})
afterEach(() => simulator.reset())
afterAll(() => simulator.stop())

const ask = (query: string, more: { timespan?: string; bearer?: string; workspace?: string } = {}) =>
  send(simulator, 'POST', `https://api.loganalytics.io/v1/workspaces/${more.workspace ?? workspace}/query`, {
    bearer: more.bearer ?? bearer,
    body: { query, ...(more.timespan !== undefined && { timespan: more.timespan }) },
  })

async function rows(query: string, more: { timespan?: string } = {}): Promise<readonly (readonly unknown[])[]> {
  const { body, code } = await ask(query, more)
  if (body.tables === undefined) throw new Error(`${code} ${JSON.stringify(body)}`)
  return body.tables[0].rows
}

test('each call to a vault is a row, also one without a token', async () => {
  expect(
    await rows(
      'AzureDiagnostics | order by TimeGenerated asc | project OperationName, httpStatusCode_d, ResultSignature, Resource',
    ),
  ).toEqual([
    ['KeyCreate', 401, 'Unauthorized', 'SHOP-PREMIUM'],
    ['KeyCreate', 200, 'OK', 'SHOP-PREMIUM'],
    ['KeyCreate', 200, 'OK', 'SHOP-PREMIUM'],
    ['KeyGet', 404, 'KeyNotFound', 'SHOP-PREMIUM'],
    ['KeyGet', 401, 'Unauthorized', 'SHOP-SPARE'],
    ['KeyGet', 404, 'KeyNotFound', 'SHOP-SPARE'],
  ])
})

test('a row contains caller, action, key and time', async () => {
  const { body } = await ask('AzureDiagnostics | where httpStatusCode_d == 200 | order by id_s asc | take 1')
  const [{ columns, rows: found }] = body.tables
  const row = Object.fromEntries(columns.map(({ name }: { name: string }, at: number) => [name, found[0][at]]))
  const version = simulator.keyOf('shop-premium', 'one')?.versions[0]?.id ?? ''
  expect(row).toMatchObject({
    TimeGenerated: expect.stringMatching(/^2026-05-01T00:00:0/),
    id_s: `https://shop-premium.vault.azure.net/keys/one/${version}`,
    identity_claim_appid_g: simulator.credentials[0]?.clientId,
    identity_claim_http_schemas_microsoft_com_identity_claims_objectidentifier_g: simulator.applications()[0]?.objectId,
    requestUri_s: expect.stringMatching(
      /^https:\/\/shop-premium\.vault\.azure\.net\/keys\/one\/create\?api%2Dversion=/,
    ),
    ...{ ResourceGroup: 'SHOP-KEYS', ResourceType: 'VAULTS', CallerIPAddress: '127.0.0.1', ResultType: 'Success' },
    SubscriptionId: simulator.subscriptions()[0]?.id,
    _ResourceId: expect.stringMatching(/^\/subscriptions\/.*\/resourcegroups\/shop-keys\/.*\/vaults\/shop-premium$/),
    CorrelationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(columns).toContainEqual({ name: 'TimeGenerated', type: 'datetime' })
})

test('a person has a name in the log', async () => {
  const alice = simulator.assignments().find(({ role }) => role === 'Key Vault Crypto User')?.principal ?? ''
  const token = await simulator.bearerOf(alice, 'vault')
  await send(simulator, 'GET', 'https://shop-locked.vault.azure.net/keys?api-version=7.4', { bearer: token })
  const upn = 'identity_claim_http_schemas_xmlsoap_org_ws_2005_05_identity_claims_upn_s'
  expect(await rows(`AzureDiagnostics | where Resource =~ "shop-locked" | project ${upn}, OperationName`)).toEqual([
    ['alice@shop.example', 'KeyList'],
  ])
})

test.each<[string, number]>([
  ['OperationName == "KeyCreate"', 3],
  ['OperationName != "KeyCreate" and Resource == "SHOP-PREMIUM"', 1],
  ['Resource == "shop-premium"', 0],
  ['Resource =~ "shop-premium"', 4],
  ['tolower(Resource) == "shop-premium"', 4],
  ['OperationName in ("KeyGet", "KeySign") and httpStatusCode_d >= 404 and Resource startswith "shop-p"', 1],
  ["Resource in~ ('shop-premium')", 4],
  ['OperationName !in ("KeyCreate", "KeyList") and Resource == "SHOP-PREMIUM"', 1],
  ['Resource == "SHOP-PREMIUM" and (httpStatusCode_d == 401 or httpStatusCode_d == 404)', 2],
  ['not(httpStatusCode_d < 400) and Resource == "SHOP-PREMIUM"', 2],
  ['isnotempty(identity_claim_appid_g) and Resource == "SHOP-PREMIUM"', 3],
  ['Category == "AuditEvent" and TimeGenerated < datetime(2026-05-01T00:01:00Z)', 4],
  [
    'TimeGenerated >= datetime(2026-05-01T00:00:30.000Z) and TimeGenerated < datetime(2026-05-01T00:02:00.000Z) and Resource == "SHOP-SPARE"',
    2,
  ],
  ['TimeGenerated > ago(30s) and Resource == "SHOP-SPARE"', 2],
])('where %s finds %d', async (condition, count) => {
  expect(await rows(`AzureDiagnostics\n| where ${condition}`)).toHaveLength(count)
})

test('a reader continues at its last position, by time and correlation', async () => {
  const page = (more: string) =>
    rows(
      `AzureDiagnostics | where Resource == "SHOP-PREMIUM" ${more} | order by TimeGenerated asc, CorrelationId asc | take 2 | project TimeGenerated, CorrelationId, operation = OperationName`,
    )
  const seen: unknown[] = []
  for (let found = await page(''); found.length > 0;) {
    seen.push(...found.map(([, , operation]) => operation))
    const [at, correlation] = found.at(-1) ?? []
    found = await page(
      `| where TimeGenerated > datetime(${String(at)}) or (TimeGenerated == datetime(${String(at)}) and strcmp(CorrelationId, "${String(correlation)}") > 0)`,
    )
  }
  expect(seen).toEqual(['KeyCreate', 'KeyCreate', 'KeyCreate', 'KeyGet']) // a challenge and its call share one correlation
})

test('the default order is descending, and rows are counted', async () => {
  const newest = await rows(
    'AzureDiagnostics | where Resource != "SHOP-LOCKED" | sort by TimeGenerated | limit 1 | project Resource',
  )
  expect(newest).toEqual([['SHOP-SPARE']])
  expect(await rows('AzureDiagnostics | where Resource == "SHOP-PREMIUM" | count')).toEqual([[4]])
})

test.each<[string, number]>([
  ['PT30S', 2],
  ['2026-05-01T00:00:00Z/2026-05-01T00:00:30Z', 4],
  ['2026-05-01T00:00:30Z/PT1H', 2],
])('the timespan %s limits a query', async (timespan, count) => {
  expect(await rows('AzureDiagnostics | where Resource != "SHOP-LOCKED"', { timespan })).toHaveLength(count)
})

test.each<[string, string]>([
  ['AzureDiagnostics | summarize count() by Resource', 'BadArgumentError:SyntaxError'],
  ['AzureDiagnostics | where', 'BadArgumentError:SyntaxError'],
  ['AzureDiagnostics | where Resource ~ "a"', 'BadArgumentError:SyntaxError'],
  ['AzureDiagnostics | take many', 'BadArgumentError:SyntaxError'],
  ['AzureDiagnostics | where Resource == "a" or', 'BadArgumentError:SyntaxError'],
  ['AzureDiagnostics | where Colour == "a"', 'BadArgumentError:SemanticError'],
  ['AzureDiagnostics | where CorrelationId > "a"', 'BadArgumentError:SemanticError'], // texts have no order
  ['AzureDiagnostics | where TimeGenerated > "2026-05-01"', 'BadArgumentError:SemanticError'],
  ['AzureDiagnostics | where httpStatusCode_d in ("200")', 'BadArgumentError:SemanticError'],
  ['AzureDiagnostics | where strcmp(Resource) > 0', 'BadArgumentError:SyntaxError'],
  ['AzureDiagnostics | project Colour', 'BadArgumentError:SemanticError'],
  ['Perf | take 1', 'BadArgumentError:SemanticError'],
  ['AzureDiagnostics | where TimeGenerated > datetime(soon)', 'BadArgumentError:SemanticError'],
  ['', 'BadArgumentError:ValidationError'],
])('the query «%s» is refused', async (query, code) => {
  expect(await ask(query)).toMatchObject({ status: 400, code, body: { error: { innererror: expect.anything() } } })
})

test('an answer has a maximum number of rows, and states when it is exceeded', async () => {
  simulator.setRowsMost(2)
  const { body, status } = await ask('AzureDiagnostics')
  simulator.setRowsMost(500_000)
  expect(status).toBe(200)
  expect(body.tables[0].rows).toHaveLength(2)
  expect(body.error).toMatchObject({ code: 'PartialError', details: [{ innererror: { code: '-2133196797' } }] })
})

test('readers without a right and unknown workspaces are refused', async () => {
  const query = 'AzureDiagnostics | take 1'
  const banker = await simulator.bearerOf(simulator.applications()[3]?.objectId ?? '', 'logs')
  const other = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'vault')
  expect(await ask(query, { workspace: crypto.randomUUID() })).toMatchObject({
    status: 404,
    code: 'WorkspaceNotFoundError',
  })
  expect(await ask(query, { bearer: banker })).toMatchObject({ status: 403, code: 'InsufficientAccessError' })
  expect(await ask(query, { bearer: other })).toMatchObject({ status: 401, code: 'InvalidTokenError' })
  const path = 'https://api.loganalytics.io/v1/workspaces'
  expect((await send(simulator, 'GET', path, { bearer })).code).toBe('PathNotFoundError')
})

test('calls may arrive late in the log, and without a log nowhere', async () => {
  const bearer = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'vault')
  const list = (vault: string) =>
    send(simulator, 'GET', `https://${vault}.vault.azure.net/keys?api-version=7.4`, { bearer })
  const count = () => rows('AzureDiagnostics | where Resource == "SHOP-STANDARD"').then(({ length }) => length)
  simulator.setDelays({ logMs: 60_000 })
  await list('shop-standard')
  expect(await count()).toBe(0)
  clock.advance(60_000)
  expect(await count()).toBe(1)
  simulator.setDelays({ logMs: 0 })
  simulator.alterVault('shop-standard', { workspace: undefined })
  await list('shop-standard')
  expect(await count()).toBe(1)
})

test('a log may be seeded, and is read in pages', async () => {
  const principal = simulator.applications()[0]?.objectId ?? ''
  simulator.seedLog('shop-plain', 20_000, (n) => ({
    ...{ at: new Date(START + 10 * n), operation: 'KeySign', key: `key-${n % 10}`, principal },
  }))
  const query = 'AzureDiagnostics | where Resource == "SHOP-PLAIN" and TimeGenerated > datetime(2026-05-01T00:01:30Z)'
  const [first, ...others] = await rows(
    `${query} | order by TimeGenerated asc | take 1000 | project TimeGenerated, id_s`,
  )
  expect(others).toHaveLength(999)
  expect(first).toEqual(['2026-05-01T00:01:30.0009000Z', 'https://shop-plain.vault.azure.net/keys/key-0'])
})
