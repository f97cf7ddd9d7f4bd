import { listCloudDReportContents } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import type { ReportsRow } from '../reports.ts'
import { vaults } from './containers.ts'

export const REPORTS: ReportsRow = {
  filters: filtersOf(listCloudDReportContents, [
    { name: 'vault_id', label: 'Vault id' },
    { name: 'key_id', label: 'Key id' },
    { name: 'compartment_id', label: 'Compartment id' },
  ]),
  place: [
    {
      ...{ name: 'cloud_d_params/0/vault', label: 'Vault', isRequired: true },
      choices: async () => (await vaults()).map(({ id: value, name: label }) => ({ value, label })),
    },
  ],
}
