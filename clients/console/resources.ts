import { CLOUDS } from './clouds.ts'
import { unfinishedAt } from './clouds/unfinished.ts'
import type { ResourceRow } from './resources/row.ts'

type Rows = readonly ResourceRow[]

interface Group {
  readonly title: string
  /** names of the rows that `load` loads, in their order */
  readonly names?: readonly string[]
  readonly load?: () => Promise<Rows>
  /** rows that need no loading: those of clouds */
  readonly rows?: Rows
}

/**
 * Simple resources by group, in the order of display. Most rows are loaded with the first page that needs one of their
 * group, because all of them are too large for one page.
 */
export const RESOURCE_GROUPS: readonly Group[] = [
  {
    title: 'Keys and secrets',
    names: ['secrets', 'canary-keys', 'virtual-keys', 'links', 'key-labels'],
    load: async () => (await import('./resources/vault.ts')).VAULT,
  },
  { title: 'At clouds', rows: [...CLOUDS.flatMap(({ more = [] }) => more), ...CLOUDS.map(unfinishedAt)] },
  {
    title: 'People and access',
    names: ['providers', 'passwords', 'policies', 'attachments', 'domains', 'sessions'],
    load: async () => (await import('./resources/access.ts')).ACCESS,
  },
  {
    title: 'Clients and authorities',
    names: ['clients', 'tokens', 'profiles', 'authorities', 'external-authorities'],
    load: async () => (await import('./resources/machines.ts')).MACHINES,
  },
  {
    title: 'Outside the service',
    names: ['platform-credentials', 'scrape-credentials', 'syslogs'],
    load: async () => (await import('./resources/outside.ts')).OUTSIDE,
  },
  {
    title: 'Endpoints',
    load: async () => {
      const [{ LEVELS }, { PROTOCOLS }] = await Promise.all([import('./resources/levels.ts'), import('./endpoints.ts')])
      return [...LEVELS, ...PROTOCOLS.flatMap(({ more = [] }) => more)]
    },
  },
  {
    title: 'Approvals',
    names: ['approval-requests', 'approval-rules'],
    load: async () => (await import('./resources/approvals.ts')).APPROVALS,
  },
  {
    title: 'Emergency',
    names: ['emergency'],
    load: async () => (await import('./resources/emergency.ts')).EMERGENCY,
  },
  {
    title: 'Service',
    names: ['alarms', 'alarm-rules', 'forwarders', 'settings', 'templates', 'key-policies', 'cloud-units'],
    load: async () => (await import('./resources/service.ts')).SERVICE,
  },
  {
    title: 'Settings of the service',
    names: ['log-in-banner', 'welcome-banner', 'backup-settings', 'log-redirection', 'signing-key', 'about', 'health'],
    load: async () => (await import('./resources/settings.ts')).SETTINGS,
  },
]

export const rowsOf = async ({ rows, load }: Group): Promise<Rows> => rows ?? (await load?.()) ?? []

/** Rows of all groups. */
export const allResources = async (): Promise<Rows> => (await Promise.all(RESOURCE_GROUPS.map(rowsOf))).flat()

/** The row with a name; loads only the group of that row. `undefined` if no row has the name. */
export async function resourceNamed(name: string): Promise<ResourceRow | undefined> {
  const group =
    RESOURCE_GROUPS.find(({ names, rows = [] }) => [...(names ?? []), ...rows.map((row) => row.name)].includes(name)) ??
    RESOURCE_GROUPS.find(({ names, rows }) => names === undefined && rows === undefined)
  return group === undefined ? undefined : (await rowsOf(group)).find((row) => row.name === name)
}
