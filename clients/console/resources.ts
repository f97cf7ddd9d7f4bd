import { CLOUDS } from './clouds.ts'
import { unfinishedAt } from './clouds/unfinished.ts'
import { PROTOCOLS } from './endpoints.ts'
import { ACCESS } from './resources/access.ts'
import { MACHINES } from './resources/machines.ts'
import { OUTSIDE } from './resources/outside.ts'
import type { ResourceRow } from './resources/row.ts'
import { SERVICE } from './resources/service.ts'
import { VAULT } from './resources/vault.ts'

/** Simple resources by group, in the order of display. */
export const RESOURCE_GROUPS = [
  { title: 'Keys and secrets', rows: [...VAULT, ...CLOUDS.flatMap(({ more = [] }) => more)] },
  { title: 'People and access', rows: ACCESS },
  { title: 'Clients and authorities', rows: MACHINES },
  { title: 'Outside the service', rows: [...OUTSIDE, ...PROTOCOLS.flatMap(({ more = [] }) => more)] },
  { title: 'Work at clouds', rows: CLOUDS.map(unfinishedAt) },
  { title: 'Service', rows: SERVICE },
] as const satisfies readonly { readonly title: string; readonly rows: readonly ResourceRow[] }[]

export const RESOURCES: readonly ResourceRow[] = RESOURCE_GROUPS.flatMap(({ rows }) => rows)

export const resourceNamed = (name: string | undefined): ResourceRow | undefined =>
  RESOURCES.find((each) => each.name === name)
