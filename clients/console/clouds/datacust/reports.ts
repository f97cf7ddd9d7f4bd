import { filtersOf } from '../../list/filters.tsx'
import type { ReportsRow } from '../reports.ts'
import { groups } from './containers.ts'
import { listDatacustReportContents } from './described.ts'

export const REPORTS: ReportsRow = {
  filters: filtersOf(listDatacustReportContents, [
    { name: 'group', label: 'Group' },
    { name: 'key_id', label: 'Key id' },
    { name: 'tenant', label: 'Tenant' },
  ]),
  place: [
    {
      ...{ name: 'datacust_params/0/group', label: 'Group', isRequired: true },
      choices: async () => (await groups()).map(({ id: value, name: label }) => ({ value, label })),
    },
  ],
}
