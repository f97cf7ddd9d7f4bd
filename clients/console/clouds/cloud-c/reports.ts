import { listCloudCReportContents } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import type { ReportsRow } from '../reports.ts'
import { rings } from './containers.ts'

export const REPORTS: ReportsRow = {
  filters: filtersOf(listCloudCReportContents, [
    { name: 'key_ring', label: 'Key ring' },
    { name: 'project', label: 'Project' },
  ]),
  place: [
    {
      ...{ name: 'cloud_c_params/0/key_ring', label: 'Key ring', isRequired: true },
      choices: async () => (await rings()).map(({ name }) => ({ value: name })),
    },
  ],
}
