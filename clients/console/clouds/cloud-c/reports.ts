import type { ReportsRow } from '../reports.ts'
import { rings } from './containers.ts'

export const REPORTS: ReportsRow = {
  filters: [
    { name: 'key_ring', label: 'Key ring', values: 'text' },
    { name: 'project', label: 'Project', values: 'text' },
  ],
  place: [
    {
      ...{ name: 'cloud_c_params/0/key_ring', label: 'Key ring', isRequired: true },
      choices: async () => (await rings()).map(({ name }) => ({ value: name })),
    },
  ],
}
