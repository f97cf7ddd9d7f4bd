import type { PathOf } from '../../sdk/calls.ts'
import { HOME } from '../home.ts'
import { changeOnly, type ResourceRow } from '../resources/row.ts'

/** The setting for notices about keys of a cloud that end soon. */
export const expiryNotice = (cloud: string, path: PathOf<'get'> & PathOf<'patch'>): ResourceRow => ({
  ...{
    name: `${cloud}-notices`,
    title: `Notices of ${cloud}`,
    noun: 'notice',
    only: `Notices of ${cloud}`,
    path,
    item: path,
  },
  about: `Whether alarms report keys of ${cloud} that end soon.`,
  columns: [
    ['enabled', 'Enabled'],
    ['notify_before', 'Days before'],
  ],
  filters: [],
  actions: [
    changeOnly(path, 'notice', [
      { name: 'enabled', label: 'Enabled', kind: 'flag' },
      { name: 'notify_before', label: 'Days before', kind: 'number', min: 1, isRequired: true },
    ]),
  ],
  empty: 'Nothing is set.',
  next: { title: `See the keys of ${cloud}`, at: `${HOME}keys/${cloud}` },
})
