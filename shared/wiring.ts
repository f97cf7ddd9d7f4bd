/**
 * Gives each room the rows of clouds and protocols that it works with. A function imports this module before any other, when
 * a room that it serves has an extension point. It loads nothing but the rows.
 */
import { syslogConnections } from './audit/forwarding/connections.ts'
import { inventories } from './audit/cbom/inventory.ts'
import { connectionServices, type ConnectionService } from './cloud/connections/kinds.ts'
import { SYSLOG } from './cloud/connections/syslog/service.ts'
import { connectionUsers } from './cloud/connections/users-of.ts'
import { isOffered, type CloudRecords, type CloudRow, type OfferedCloud } from './cloud/cloud-row.ts'
import { CLOUDS } from './clouds/all.ts'
import { PROTOCOLS } from './endpoints/all.ts'
import { groupDirectories } from './http/group-directory.ts'
import { initiators } from './http/initiators.ts'
import { protocolDetails } from './http/audit/model.ts'
import { aclHolders } from './identity/acl-holders.ts'
import { certificateTrusts } from './identity/certificate-trust.ts'
import { domainAuthorities } from './identity/domains/authority-of.ts'
import { domainContents } from './identity/domains/contents.ts'
import { sealedRows, type SealedKind } from './keyring/sealed-rows.ts'
import type { Protocol } from './endpoint/protocol.ts'
import { keyUsers } from './vault/keys/lifecycle/key-users.ts'
import { workFacts } from './work/work-facts.ts'
import { workRows, type WorkRow } from './work/work-row.ts'

/** One part of the records of each cloud, loaded when it is asked for. */
const ofEach = <T>(clouds: readonly OfferedCloud[], part: (records: CloudRecords) => T): (() => Promise<T>)[] =>
  clouds.map((cloud) => async () => part(await cloud.records()))

async function countContainers(clouds: readonly OfferedCloud[], domain: string): Promise<number> {
  const records = await Promise.all(clouds.map((row) => row.records()))
  const counts = records.flatMap(({ containers }) =>
    containers.map(async ({ countIn }) => (await countIn?.(domain)) ?? 0),
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Keys but those of the authorities of a domain, which go with it. */
async function countOwnKeys(domain: string): Promise<number> {
  const { countKeys } = await import('./vault/keys/lists/count.ts')
  const { countAuthorityKeys } = await import('./certificates/authorities/count-keys.ts')
  const [all, ofAuthorities] = await Promise.all([countKeys(domain), countAuthorityKeys(domain)])
  return Math.max(0, all - ofAuthorities)
}

async function sealedBy({ records }: OfferedCloud, name: string): Promise<SealedKind> {
  const kind = (await records()).sealed?.[name]
  if (kind === undefined) throw new Error(`There is nothing to seal again named ${name}`)
  return kind
}

/** Keys of endpoints have an end of their own at most, so that configurations choose none of them by age. */
const ENDPOINT_ROTATION = { byAge: false, byExpiry: true } as const

/** The keys of a protocol's endpoints, as job configurations know them. */
const rotatedRows = ({ rotatedAs: name, rotate }: Protocol): WorkRow[] =>
  name === undefined || rotate === undefined ? [] : [{ name, isOffered: true, rotation: ENDPOINT_ROTATION, rotate }]

/** Connections to syslog servers, beside those to clouds. */
const syslogService: ConnectionService = {
  name: SYSLOG,
  connection: async () => (await import('./cloud/connections/syslog/kind.ts')).syslogConnectionKind,
}

/** Fills every extension point. */
export function wire(clouds: readonly CloudRow[], protocols: readonly Protocol[]): void {
  const offered = clouds.filter(isOffered)
  const work: readonly WorkRow[] = [...clouds, ...protocols.flatMap(rotatedRows)]
  workFacts.fill(work)
  workRows.fill(work)
  connectionServices.fill([...clouds, syslogService])
  syslogConnections.fill([async () => (await import('./cloud/connections/syslog/for-forwarders.ts')).forForwarders])
  connectionUsers.fill([
    ...ofEach(offered, ({ containers }) => containers.map(({ connectionUser }) => connectionUser)),
    async () => [(await import('./audit/forwarding/connection-user.ts')).forwardersUsing],
  ])
  aclHolders.fill(ofEach(offered, ({ containers }) => containers.map(({ aclHolder }) => aclHolder)))
  groupDirectories.fill([async () => (await import('./identity/groups/directory.ts')).directory])
  initiators.fill([async () => (await import('./identity/initiators.ts')).initiatorDirectory])
  protocolDetails.fill(protocols.map(({ auditLine }) => auditLine.details))
  keyUsers.fill([
    ...[...offered, ...protocols].flatMap(({ keyUser }) => keyUser ?? []),
    async () => (await import('./certificates/key-user.ts')).caKeyUser,
  ])
  inventories.fill([
    async () => (await import('./vault/keys/lists/inventory.ts')).vaultInventory,
    async () => (await import('./certificates/inventory.ts')).caInventory,
    ...offered.flatMap(({ inventory }) => inventory ?? []),
  ])
  certificateTrusts.fill([async () => (await import('./certificates/trust.ts')).authorityTrust])
  domainAuthorities.fill([async () => (await import('./certificates/domains/authorities.ts')).caOfDomains])
  domainContents.fill([
    {
      noun: 'key',
      done: 'deleted',
      countIn: countOwnKeys,
    },
    {
      noun: 'secret',
      done: 'deleted',
      countIn: async (domain) => (await import('./vault/secrets/count.ts')).countSecrets(domain),
    },
    { noun: 'container', done: 'removed', countIn: (domain) => countContainers(offered, domain) },
  ])
  sealedRows.fill([
    {
      name: 'local-key latest',
      load: async () => (await import('./vault/keys/material/sealed.ts')).sealedKeys('latest'),
    },
    {
      name: 'local-key former',
      load: async () => (await import('./vault/keys/material/sealed.ts')).sealedKeys('former'),
    },
    { name: 'secret latest', load: async () => (await import('./vault/secrets/sealed.ts')).sealedSecrets('latest') },
    { name: 'secret former', load: async () => (await import('./vault/secrets/sealed.ts')).sealedSecrets('former') },
    { name: 'connection', load: async () => (await import('./cloud/connections/sealed.ts')).sealedConnections },
    {
      name: 'connection-request',
      load: async () => (await import('./cloud/connections/requests/sealed.ts')).sealedConnectionRequests,
    },
    ...offered.flatMap((cloud) =>
      (cloud.sealedNames ?? []).map((name) => ({ name, load: () => sealedBy(cloud, name) })),
    ),
    ...protocols.flatMap(({ sealed = {} }) => Object.entries(sealed).map(([name, load]) => ({ name, load }))),
    {
      name: 'registration-token',
      load: async () => (await import('./certificates/clients/registration-tokens/store.ts')).sealedRegistrationTokens,
    },
    { name: 'request-key', load: async () => (await import('./keyring/sealed-request-keys.ts')).sealedRequestKeys },
    {
      name: 'login-connection',
      load: async () => (await import('./identity/connections/sealed.ts')).sealedLoginConnections,
    },
    { name: 'audit-export', load: async () => (await import('./audit-exports/sealed.ts')).sealedExports },
    { name: 'evidence-key', load: async () => (await import('./audit/evidence/sealed.ts')).sealedEvidenceKeys },
    {
      name: 'log-forwarder',
      load: async () => (await import('./audit/forwarding/forwarders/sealed.ts')).sealedLogForwarders,
    },
    { name: 'signing-key', load: async () => (await import('./identity/tokens/sealed.ts')).sealedSigningKeys },
  ])
}

wire(CLOUDS, PROTOCOLS)
