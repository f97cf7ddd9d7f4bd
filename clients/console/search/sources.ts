import { isProblem } from '../../sdk/problem.ts'
import { CLOUDS, PLACES } from '../clouds.ts'
import { reportsOf } from '../clouds/reports.ts'
import { PROTOCOLS } from '../endpoints.ts'
import { HOME } from '../home.ts'
import type { FilterRow } from '../list/filters.tsx'
import { pageOf } from '../pages/audit/places.ts'
import { allResources, resourceNamed } from '../resources.ts'
import { idOf, nameOf } from '../resources/row.ts'
import { ENTRIES } from '../shell/navigation.ts'
import { read, readPage, type Query } from '../service.ts'
import { beginning, containing, isId, ranked, type Hit } from './rank.ts'

/** A list that is searched on its own: another one that fails or is slow does not delay it. */
export interface Source {
  readonly group: string
  readonly title: string
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Hit[]>
}

const HITS = 5

type Ask = (query: Query, signal: AbortSignal) => Promise<readonly Hit[]>

const isTooMany = (error: unknown): boolean => isProblem(error) && error.status === 422

/** Searches by a filter with patterns; a list that is too long is asked for names that begin with the text. */
const byPattern =
  (filter: string, ask: Ask) =>
  (text: string, signal: AbortSignal): Promise<readonly Hit[]> => {
    if (isId(text)) return ask({ id: [text], limit: HITS }, signal)
    return ask({ [filter]: containing(text), limit: HITS }, signal).catch((error: unknown) => {
      if (isTooMany(error)) return ask({ [filter]: beginning(text), limit: HITS }, signal)
      throw error
    })
  }

/** The filter for names is the first one of every list. */
const nameFilter = (filters: readonly FilterRow[]): string => filters[0]?.name ?? 'name'

const keys: readonly Source[] = PLACES.map(({ name, title, keys: row }) => ({
  group: 'Keys',
  title: `${title} keys`,
  find: byPattern(nameFilter(row.filters), async (query, signal) => {
    const { resources } = await row.list({ ...row.once, ...query }, signal)
    return resources.map((key) => {
      const { id, name: key_name, state, place } = row.summary(key)
      const href = `${HOME}keys/${name}/${encodeURIComponent(id)}`
      return { href, title: key_name, detail: [title, place, state].join(' · ') }
    })
  }),
}))

const containers: readonly Source[] = CLOUDS.map(({ name, title, containers: row }) => ({
  group: 'Containers and endpoints',
  title: `${title} containers`,
  find: byPattern(nameFilter(row.filters), async (query, signal) => {
    const { resources } = await row.list(query, signal)
    return resources.map((each) => {
      const { id, title: of, place } = row.summary(each)
      return {
        href: `${HOME}containers/${name}/${encodeURIComponent(id)}`,
        title: of,
        detail: [title, place].join(' · '),
      }
    })
  }),
}))

const endpoints: readonly Source[] = PROTOCOLS.map((row) => ({
  group: 'Containers and endpoints',
  title: row.title,
  find: byPattern(nameFilter(row.filters), async (query, signal) => {
    const { resources } = await row.list(query, signal)
    return resources.map((each) => {
      const { id, name, state } = row.summary(each)
      const href = `${HOME}endpoints/${row.name}/${encodeURIComponent(id)}`
      return { href, title: name, detail: [row.title, state].join(' · ') }
    })
  }),
}))

/** Reports of each cloud. */
const reports: readonly Source[] = CLOUDS.map((cloud) => ({
  group: 'Others',
  title: `${cloud.title} reports`,
  find: byPattern('name', async (query, signal) =>
    (await reportsOf(cloud).list(query, signal)).resources.map(({ id, name }) => ({
      ...{ href: `${HOME}reports/${cloud.name}/${id}`, title: name, detail: `${cloud.title} · Report` },
    })),
  ),
}))

/** Simple resources that people look for by name. */
const SOUGHT = {
  secrets: 'Secrets',
  clients: 'Clients',
  authorities: 'Authorities',
  domains: 'Domains',
  policies: 'Policies',
}

const resources: readonly Source[] = Object.entries(SOUGHT).map(([resource, title]) => ({
  group: 'Others',
  title,
  find: async (text, signal) => {
    const row = isId(text) ? undefined : await resourceNamed(resource)
    if (row === undefined) return []
    const query = { [nameFilter(row.filters)]: containing(text), limit: HITS }
    const { resources: found } = await readPage(row.path, { query, signal })
    return found.map((each) => ({
      href: `${HOME}administration/${row.name}/${encodeURIComponent(idOf(row, each))}`,
      ...{ title: nameOf(row, each), detail: row.title },
    }))
  },
}))

const others: readonly Source[] = [
  {
    ...{ group: 'Others', title: 'Connections' },
    find: byPattern('name', async (query, signal) =>
      (await read('/v1/connectionmgmt/connections', { query, signal })).resources.map(({ id, name }) => ({
        ...{ href: `${HOME}connections/${id}`, title: name, detail: 'Connection' },
      })),
    ),
  },
  {
    ...{ group: 'Others', title: 'Jobs' },
    find: byPattern('name', async (query, signal) =>
      (await read('/v1/scheduler/job-configs', { query, signal })).resources.map(({ id, name }) => ({
        ...{ href: `${HOME}jobs/${id}`, title: name, detail: 'Job' },
      })),
    ),
  },
  {
    ...{ group: 'Others', title: 'Users' },
    find: async (text, signal) => {
      const query = { username: containing(text), limit: HITS }
      return (await read('/v1/usermgmt/users', { query, signal })).resources.map(({ user_id, username }) => ({
        ...{ href: `${HOME}users/${encodeURIComponent(user_id)}`, title: username, detail: 'User' },
      }))
    },
  },
  {
    ...{ group: 'Others', title: 'Groups' },
    find: async (text, signal) => {
      const query = { name: containing(text), limit: HITS }
      return (await read('/v1/usermgmt/groups', { query, signal })).resources.map(({ name }) => ({
        ...{ href: `${HOME}users/groups/${encodeURIComponent(name)}`, title: name, detail: 'Group' },
      }))
    },
  },
]

/** Everything that can be opened without a list: pages, and forms that make something. */
const destinations = (rows: Awaited<ReturnType<typeof allResources>>): readonly Hit[] => [
  ...ENTRIES.map(({ title, at }) => ({ href: at, title, detail: 'Page' })),
  ...rows.map(({ name, title }) => ({ href: `${HOME}administration/${name}`, title, detail: 'Page' })),
  ...rows.flatMap(({ name, add }) =>
    add === undefined ? [] : [{ href: `${HOME}administration/${name}/add`, title: add.title, detail: 'Form' }],
  ),
  ...PLACES.flatMap(({ name: place, keys: { ways } }) =>
    ways.map(({ name, title }) => ({ href: `${HOME}keys/${place}/add/${name}`, title, detail: 'Form' })),
  ),
  { href: `${HOME}connections/new`, title: 'Connect a cloud', detail: 'Form' },
  { href: `${HOME}jobs/add`, title: 'Plan a job', detail: 'Form' },
]

const pages: Source = {
  ...{ group: 'Do', title: 'Pages' },
  find: async (text) => {
    const sought = text.toLowerCase()
    const found = destinations(await allResources()).filter(({ title }) => title.toLowerCase().includes(sought))
    const uri = pageOf(text, '')
    const of = { href: `${HOME}audit?${new URLSearchParams({ message: text }).toString()}`, detail: 'Page' }
    return [
      ...(uri === undefined ? [] : [{ href: uri, title: text, detail: 'Page of the URI' }]),
      ...found,
      { ...of, title: `Audit of “${text}”` },
    ]
  },
}

/** Every list that is searched, in the order of display. */
export const SOURCES: readonly Source[] = [
  ...[...keys, ...containers, ...endpoints, ...others, ...resources, ...reports],
  pages,
]

/** The groups of hits, in the order of display. */
export const grouped = (
  text: string,
  found: readonly (readonly Hit[])[],
): readonly (readonly [string, readonly Hit[]])[] =>
  [...new Set(SOURCES.map(({ group }) => group))]
    .map((group) => {
      const hits = found.flatMap((each, at) => (SOURCES[at]?.group === group ? each : []))
      return [group, ranked(text, hits).slice(0, 2 * HITS)] as const
    })
    .filter(([, hits]) => hits.length > 0)
