import { HOME } from '../home.ts'

/** An entry of the navigation. */
export interface NavigationEntry {
  readonly title: string
  readonly at: string
  /** the action of the service that reads its list; without it, everyone may */
  readonly action?: string
}

const entry = (title: string, page: string, action?: string): NavigationEntry => ({
  ...{ title, at: page === '' ? HOME : `${HOME}${page}` },
  ...(action !== undefined && { action }),
})

/** The navigation: groups by task, in the order of use. The first group has no title. */
export const NAVIGATION: readonly { readonly title?: string; readonly entries: readonly NavigationEntry[] }[] = [
  { entries: [entry('Overview', '')] },
  { title: 'Keys', entries: [entry('Keys', 'keys'), entry('Secrets', 'administration/secrets', 'ReadSecret')] },
  {
    title: 'Clouds',
    entries: [
      entry('Connections', 'connections', 'ReadConnection'),
      entry('Containers', 'containers'),
      entry('Endpoints', 'endpoints'),
    ],
  },
  {
    title: 'Work',
    entries: [
      entry('Calendar', 'calendar', 'ReadJobConfig'),
      entry('Jobs', 'jobs', 'ReadJobConfig'),
      entry('Reports', 'reports', 'ReadReport'),
    ],
  },
  {
    title: 'Proof',
    entries: [
      entry('Audit', 'audit', 'ReadAuditRecord'),
      entry('Alarms', 'administration/alarms', 'ReadAlarm'),
      entry('Ciphertexts', 'ciphertexts', 'InspectCiphertext'),
    ],
  },
  {
    title: 'Administration',
    entries: [
      entry('Users', 'users', 'ReadUser'),
      entry('Clients', 'administration/clients', 'ReadClient'),
      entry('Authorities', 'administration/authorities', 'ReadLocalCA'),
      entry('Administration', 'administration'),
    ],
  },
]

export const ENTRIES: readonly NavigationEntry[] = NAVIGATION.flatMap(({ entries }) => entries)

/** The entry of a path: the one with the longest address that contains it. */
export const entryOf = (path: string): NavigationEntry | undefined =>
  ENTRIES.filter(({ at }) => path === at || `${path}/` === at || (at !== HOME && path.startsWith(`${at}/`)))
    .toSorted((a, b) => b.at.length - a.at.length)
    .at(0)
