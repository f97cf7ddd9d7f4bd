import { rmSync } from 'node:fs'
import { Match } from 'aws-cdk-lib/assertions'
import { afterAll, expect, test } from 'vitest'
import { OptionError, readOptions } from '../../../infra/aws/options.ts'
import { FUNCTIONS } from '../../../infra/functions.ts'
import { findingsIn } from '../../../infra/aws/synthesize.ts'
import { functionIn, statementsOf, synthesized, type Told } from './deployment-support.ts'

const CERTIFICATE = 'arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000'

const folders: string[] = []
const deployed = (told?: Told) => {
  const result = synthesized(told)
  folders.push(result.folder)
  return result
}
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

const baseUrlIn = ({ serviceTemplate }: ReturnType<typeof deployed>) =>
  functionIn(serviceTemplate, 'auth').properties.Environment.Variables.KEYMGR_BASE_URL

const nothing = () => undefined

test.each([
  ['an account', { account: '1234' }, 'account must be twelve digits.'],
  ['a region', { region: 'Frankfurt' }, 'region must name a region.'],
  ['a host name', { domainName: 'https://keys.example' }, 'domainName must be a host name.'],
  ['a certificate', { certificateArn: 'certificate' }, 'certificateArn must be the address of a certificate'],
  ['a base address without TLS', { baseUrl: 'http://keys.example' }, 'baseUrl must be https://host, without a path.'],
  ['a base address with a path', { baseUrl: 'https://keys.example/api' }, 'baseUrl must be https://host'],
  ['a base address with a slash', { baseUrl: 'https://keys.example/' }, 'baseUrl must be https://host'],
  ['an e-mail address', { alarmEmail: 'somebody' }, 'alarmEmail must be an e-mail address.'],
  ['a host name without certificate', { domainName: 'keys.example' }, 'domainName and certificateArn go together.'],
  ['a certificate without host name', { certificateArn: CERTIFICATE }, 'domainName and certificateArn go together.'],
  ['a trust store', { mutualTlsTrustStore: 'https://a.example/ca.pem' }, 'mutualTlsTrustStore must be the address'],
  ['mutual TLS without trust store', { mutualTlsDomainName: 'tls.example' }, 'and mutualTlsTrustStore go together.'],
  ['a key to adopt', { rootKeyArn: 'alias/root' }, 'rootKeyArn must be the address of a key'],
  ['a table to adopt', { tableName: 'a/b' }, 'tableName must be the name of a table.'],
  ['another front door', { frontDoor: 'rest' }, 'frontDoor must be http-api or none.'],
  ['no front door and no address', { frontDoor: 'none' }, 'frontDoor none needs baseUrl'],
  ['a share of executions', { dataPlaneConcurrency: '0' }, 'dataPlaneConcurrency must be a number of executions'],
  ['a short retention', { auditRetentionDays: '30' }, 'auditRetentionDays must be a number of days from 90'],
  ['traces', { traceToClouds: 'yes' }, 'traceToClouds must be on or off'],
  ['a collector', { otlpEndpoint: 'http://collector.example' }, 'otlpEndpoint must be https://host'],
  ['legacy algorithms', { legacyAlgorithms: 'yes' }, 'legacyAlgorithms must be allowed or refused'],
  ['a role of its own', { runtimeRoleArn: 'keymgr-clouds' }, 'runtimeRoleArn must be the address of a role'],
  ['an external id alone', { runtimeRoleExternalId: 'x-1' }, 'runtimeRoleExternalId needs runtimeRoleArn.'],
  ['an archive for no time', { auditArchiveDays: '0' }, 'auditArchiveDays must be a number of days from 1'],
] as [string, Record<string, string>, string][])('%s that cannot be meant is refused', (_what, given, sentence) => {
  const read = () => readOptions((name) => given[name], {})
  expect(read).toThrow(OptionError)
  expect(read).toThrow(sentence)
})

test('an option of the command line overrides the environment, and an empty option counts as absent', () => {
  const environment = { KEYMGR_ALARM_EMAIL: 'first@example.com', KEYMGR_BASE_URL: '', CDK_DEFAULT_REGION: 'eu-west-1' }
  expect(readOptions(nothing, environment)).toEqual({ alarmEmail: 'first@example.com', region: 'eu-west-1' })
  const given = (name: string) => (name === 'alarmEmail' ? 'second@example.com' : undefined)
  expect(readOptions(given, environment)).toEqual({ alarmEmail: 'second@example.com', region: 'eu-west-1' })
})

test('without options the templates fit any account, and the service has the gateway’s address', () => {
  const plain = deployed()
  expect(plain.service.environment).toBe('aws://unknown-account/unknown-region')
  expect(baseUrlIn(plain)).toEqual({ 'Fn::GetAtt': [expect.stringContaining('Api'), 'ApiEndpoint'] })
  plain.serviceTemplate.resourceCountIs('AWS::SNS::Subscription', 0)
  plain.serviceTemplate.resourceCountIs('AWS::ApiGatewayV2::DomainName', 0)
})

test('a host name of ours becomes the address, and the only one', () => {
  const named = deployed({
    context: {
      account: '111122223333',
      region: 'eu-central-1',
      domainName: 'keys.example.com',
      certificateArn: CERTIFICATE,
      alarmEmail: 'duty@example.com',
    },
  })
  expect(named.service.environment).toBe('aws://111122223333/eu-central-1')
  expect(baseUrlIn(named)).toBe('https://keys.example.com')
  named.serviceTemplate.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
    DomainName: 'keys.example.com',
    DomainNameConfigurations: [Match.objectLike({ CertificateArn: CERTIFICATE, SecurityPolicy: 'TLS_1_2' })],
  })
  named.serviceTemplate.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true })
  named.serviceTemplate.hasResourceProperties('AWS::SNS::Subscription', {
    Protocol: 'email',
    Endpoint: 'duty@example.com',
  })
  expect(findingsIn(named.app)).toEqual([])
})

test('a second host name admits only callers with a certificate, and serves the same API', () => {
  const named = deployed({
    context: {
      mutualTlsDomainName: 'clouds.example.com',
      mutualTlsCertificateArn: CERTIFICATE,
      mutualTlsTrustStore: 's3://trusted-roots/clouds/roots.pem',
    },
  })
  named.serviceTemplate.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
    DomainName: 'clouds.example.com',
    DomainNameConfigurations: [Match.objectLike({ CertificateArn: CERTIFICATE, SecurityPolicy: 'TLS_1_2' })],
    MutualTlsAuthentication: { TruststoreUri: 's3://trusted-roots/clouds/roots.pem' },
  })
  const { properties, roleId } = functionIn(named.serviceTemplate, 'triggers')
  expect(properties.Environment.Variables).toMatchObject({
    KEYMGR_MTLS_DOMAIN: 'clouds.example.com',
    KEYMGR_MTLS_ROOTS: 's3://trusted-roots/clouds/roots.pem',
  })
  const kept = statementsOf(named.serviceTemplate, roleId)
  const of = (id: string) => kept.find(({ sid }) => sid === id)
  expect(of('KeepTrustStores')?.resources).toEqual([JSON.stringify({ 'Fn::ImportValue': 'keymgr-trust-stores' })])
  expect(of('ReadTrustedRoots')?.resources.join()).toContain(':s3:::trusted-roots/clouds/roots.pem')
  expect(of('NameTrustStore')?.resources.join()).toContain('::/domainnames/clouds.example.com')
  named.serviceTemplate.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
    ApiId: { Ref: Match.stringLikeRegexp('Api') },
    Stage: '$default',
  })
  expect(findingsIn(named.app)).toEqual([])
})

test('the address of a front door of another party is accepted', () => {
  expect(baseUrlIn(deployed({ environment: { KEYMGR_BASE_URL: 'https://keys.example.org' } }))).toBe(
    'https://keys.example.org',
  )
})

test('existing resources are adopted: a restored table, and leftovers of a former foundation', () => {
  const [rootKeyArn, tableKeyArn] = ['root', 'table'].map((id) => `arn:aws:kms:eu-central-1:111122223333:key/${id}`)
  const context = {
    account: '111122223333',
    region: 'eu-central-1',
    tableName: 'keymgr-restored',
    rootKeyArn: rootKeyArn ?? '',
    tableKeyArn: tableKeyArn ?? '',
    bucketName: 'kept-reports',
    busName: 'keymgr',
  }
  const { app, foundationTemplate, serviceTemplate } = deployed({ context })
  for (const type of ['DynamoDB::Table', 'KMS::Key', 'S3::Bucket', 'Events::EventBus'])
    foundationTemplate.resourceCountIs(`AWS::${type}`, 0)
  const { properties, roleId } = functionIn(serviceTemplate, 'triggers')
  expect(properties.Environment.Variables).toMatchObject({
    KEYMGR_TABLE: 'keymgr-restored',
    KEYMGR_ROOT_KEY: rootKeyArn,
    KEYMGR_BUS: 'keymgr',
    KEYMGR_BUCKET: 'kept-reports',
  })
  const statements = statementsOf(serviceTemplate, roleId)
  const onTable = statements.find(({ sid }) => sid === 'WriteTable')?.resources.join()
  expect(onTable).toContain('table/keymgr-restored')
  expect(statements.find(({ sid }) => sid === 'OpenDomainKeys')?.resources).toEqual([rootKeyArn])
  expect(findingsIn(app)).toEqual([])
})

test('audit records are kept for the configured time, and archived immutably', () => {
  const { app, foundationTemplate, serviceTemplate } = deployed({
    context: { auditRetentionDays: 'never', auditArchiveDays: '400' },
  })
  const { Variables } = functionIn(serviceTemplate, 'triggers').properties.Environment
  expect(Variables).toMatchObject({ KEYMGR_AUDIT_RETENTION_DAYS: 'never' })
  foundationTemplate.hasResourceProperties('AWS::S3::Bucket', {
    ObjectLockConfiguration: {
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 400 } },
    },
  })
  foundationTemplate.hasResourceProperties('AWS::Events::Rule', { EventPattern: { source: ['keymgr.audit'] } })
  expect(findingsIn(app)).toEqual([])
})

test('legacy algorithms are allowed only where keys are created', () => {
  const { serviceTemplate } = deployed({ context: { legacyAlgorithms: 'allowed' } })
  const of = (name: string) => functionIn(serviceTemplate, name).properties.Environment.Variables
  for (const name of ['vault', 'triggers']) expect(of(name)).toMatchObject({ KEYMGR_LEGACY_ALGORITHMS: 'allowed' })
  for (const name of ['xks', 'guide']) expect(of(name)).not.toHaveProperty('KEYMGR_LEGACY_ALGORITHMS')
})

test('every function has the setting for the traces of callers', () => {
  const { serviceTemplate } = deployed({ context: { traceToClouds: 'off' } })
  for (const { name } of FUNCTIONS)
    expect(functionIn(serviceTemplate, name).properties.Environment.Variables).toMatchObject({
      KEYMGR_TRACE_TO_CLOUDS: 'off',
    })
})

test('every function has the address of the collector of spans', () => {
  const told = { KEYMGR_OTLP_ENDPOINT: 'https://collector.example' }
  const { serviceTemplate } = deployed({ context: { otlpEndpoint: told.KEYMGR_OTLP_ENDPOINT } })
  for (const { name } of FUNCTIONS)
    expect(functionIn(serviceTemplate, name).properties.Environment.Variables).toMatchObject(told)
})

test('functions that enter clouds may assume only the given role, and other functions none', () => {
  const runtimeRoleArn = 'arn:aws:iam::111122223333:role/keymgr-clouds'
  const { app, serviceTemplate } = deployed({ context: { runtimeRoleArn, runtimeRoleExternalId: 'keymgr-1' } })
  const told = { KEYMGR_RUNTIME_ROLE: runtimeRoleArn, KEYMGR_RUNTIME_ROLE_EXTERNAL_ID: 'keymgr-1' }
  for (const row of FUNCTIONS) {
    const { roleId, properties } = functionIn(serviceTemplate, row.name)
    const taken = statementsOf(serviceTemplate, roleId).filter(({ actions }) => actions.includes('sts:AssumeRole'))
    const enters = row.grants.includes('enters-clouds')
    expect(taken.map(({ actions, resources }) => [actions, resources])).toEqual(
      enters ? [[['sts:AssumeRole'], [runtimeRoleArn]]] : [],
    )
    if (enters) expect(properties.Environment.Variables).toMatchObject(told)
    else expect(properties.Environment.Variables).not.toHaveProperty('KEYMGR_RUNTIME_ROLE')
  }
  expect(FUNCTIONS.filter(({ grants }) => grants.includes('enters-clouds')).map(({ name }) => name)).toEqual([
    'connections',
    'cloud-a',
    'triggers',
  ])
  expect(findingsIn(app)).toEqual([])
})

test('without a front door everything else is deployed, for a region without HTTP APIs', () => {
  const context = { frontDoor: 'none', baseUrl: 'https://keys.example.com' }
  const { app, serviceTemplate } = deployed({ context })
  serviceTemplate.resourceCountIs('AWS::ApiGatewayV2::Api', 0)
  serviceTemplate.resourceCountIs('AWS::ApiGatewayV2::Route', 0)
  expect(functionIn(serviceTemplate, 'vault').properties.Environment.Variables).toMatchObject({
    KEYMGR_BASE_URL: 'https://keys.example.com',
  })
  expect(findingsIn(app)).toEqual([])
})

const shareOf = ({ serviceTemplate }: ReturnType<typeof deployed>, name: string) =>
  functionIn(serviceTemplate, name).properties.ReservedConcurrentExecutions

const PLANES = ['xks', 'ekm-data', 'dke-data', 'kacls', 'external-vaults', 'crm-keys', 'datacust-data']

test('data planes have reserved executions, and sweeps a maximum', () => {
  const usual = deployed()
  expect([...PLANES, 'triggers', 'vault'].map((name) => shareOf(usual, name))).toEqual([
    ...PLANES.map(() => 100),
    50,
    undefined,
  ])
  const context = { dataPlaneConcurrency: '300', triggersConcurrency: 'none', dataPlaneWarm: '3' }
  const chosen = deployed({ context })
  expect([...PLANES, 'triggers'].map((name) => shareOf(chosen, name))).toEqual([...PLANES.map(() => 300), undefined])
  chosen.serviceTemplate.resourceCountIs('AWS::Lambda::Alias', PLANES.length)
  chosen.serviceTemplate.hasResourceProperties('AWS::Lambda::Alias', {
    ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 3 },
  })
  expect(findingsIn(chosen.app)).toEqual([])
})
