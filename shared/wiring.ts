/**
 * Gives each room the rows of clouds and protocols that it works with. A function imports this module before any other, when
 * a room that it serves has an extension point. It loads nothing but the rows.
 */
import { connectionServices } from './cloud/connections/kinds.ts'
import { connectionUsers } from './cloud/connections/users-of.ts'
import { isOffered, type CloudRecords } from './cloud/cloud-row.ts'
import { CLOUDS } from './clouds/all.ts'
import { ANNOUNCED_PROTOCOLS, PROTOCOLS } from './endpoints/all.ts'
import { aclHolders } from './identity/acl-holders.ts'
import { domainContents } from './identity/domains/contents.ts'
import { sealedRows, type SealedKind } from './keyring/sealed-rows.ts'
import { keyUsers } from './vault/keys/key-users.ts'
import { workRows } from './work/work-row.ts'

const offered = CLOUDS.filter(isOffered)
const ofEach = <T>(part: (records: CloudRecords) => T) =>
  offered.map(
    ({ records }) =>
      async () =>
        part(await records()),
  )

workRows.fill([
  ...CLOUDS,
  ...ANNOUNCED_PROTOCOLS.map(({ rotatedAs }) => ({
    name: rotatedAs,
    isOffered: false,
    rotation: { byAge: false, byExpiry: true },
  })),
])
connectionServices.fill(CLOUDS)
connectionUsers.fill(ofEach(({ containers }) => containers.map(({ connectionUser }) => connectionUser)))
aclHolders.fill(ofEach(({ containers }) => containers.map(({ aclHolder }) => aclHolder)))
keyUsers.fill([...offered, ...PROTOCOLS].flatMap(({ keyUser }) => keyUser ?? []))

async function countContainers(domain: string): Promise<number> {
  const records = await Promise.all(offered.map((row) => row.records()))
  const counts = records.flatMap(({ containers }) =>
    containers.map(async ({ countIn }) => (await countIn?.(domain)) ?? 0),
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

domainContents.fill([
  {
    noun: 'keys',
    verb: 'delete',
    countIn: async (domain) => (await import('./vault/keys/count.ts')).countKeys(domain),
  },
  { noun: 'containers', verb: 'remove', countIn: countContainers },
])

async function sealedBy(records: () => Promise<CloudRecords>, name: string): Promise<SealedKind> {
  const kind = (await records()).sealed?.[name]
  if (kind === undefined) throw new Error(`There is nothing to seal again named ${name}`)
  return kind
}

sealedRows.fill([
  { name: 'local-key latest', load: async () => (await import('./vault/keys/sealed.ts')).sealedKeys('latest') },
  { name: 'local-key former', load: async () => (await import('./vault/keys/sealed.ts')).sealedKeys('former') },
  { name: 'connection', load: async () => (await import('./cloud/connections/sealed.ts')).sealedConnections },
  ...offered.flatMap(({ records, sealedNames = [] }) =>
    sealedNames.map((name) => ({ name, load: () => sealedBy(records, name) })),
  ),
  { name: 'signing-key', load: async () => (await import('./identity/tokens/sealed.ts')).sealedSigningKeys },
])
