import { isOffered, type CloudRow } from '../../shared/cloud/cloud-row.ts'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'

/** Descriptions of the tags that belong to no cloud and no protocol. */
const SENTENCES: Readonly<Record<string, string>> = {
  auth: 'Log-in, tokens, the signing keys of tokens, and calls of users on their own account.',
  users: 'Users and groups, password policies, ways to log in, domains with their keys, and policies of access.',
  vault: 'Local keys with their versions, templates and policies; secrets; links between keys.',
  ca: 'Certificate authorities, the certificates that they issue, and the status of these.',
  clients: 'Clients that log in with a certificate, and the tokens with which they register.',
  audit: 'Audit records with their evidence, alarms, log forwarding, properties and the state of the service.',
  platform: 'What a platform around the service calls with a credential of its own.',
  connections: 'How the service reaches clouds and log servers, with credentials that it never shows again.',
  settings:
    'Settings of keys that are about clouds, the units of clouds that a domain has, emergency blocks, and approvals.',
  scheduler: 'Job configurations, when they run next, and the jobs they started.',
  reports: 'Reports on the keys of clouds, to read and to download.',
  guide: 'This description.',
}

const tagOf = ({ name }: CloudRow): [string, string] => [
  name,
  `Containers and keys of ${name}: made, uploaded, rotated, backed up, synchronized and deleted.`,
]

const protocolTags = PROTOCOLS.flatMap(({ management, dataPlane, title }): [string, string][] => [
  ...[management?.group ?? []].flat().map((group): [string, string] => [group, `Management of endpoints: ${title}.`]),
  [dataPlane, `What is called at an endpoint, in the words of the protocol: ${title}.`],
])

const DATA_PLANES = new Set(PROTOCOLS.map(({ dataPlane }) => dataPlane))

interface Tag {
  readonly name: string
  readonly description: string
  /** Marks the calls of outside systems, which have separate credentials. */
  readonly 'x-keymgr-data-plane'?: true
}

/** The tags of a description, each with its sentence. @throws Error for one without a sentence */
export function tagsOf(used: ReadonlySet<string>, clouds: readonly CloudRow[]): Tag[] {
  const all = new Map([...Object.entries(SENTENCES), ...clouds.filter(isOffered).map(tagOf), ...protocolTags])
  return [...used].map((name) => {
    const description = all.get(name)
    if (description === undefined) throw new Error(`The tag ${name} has no sentence`)
    return { name, description, ...(DATA_PLANES.has(name) && { 'x-keymgr-data-plane': true as const }) }
  })
}
