import { listCloudBReportContents } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { isOfUses, type ReportsRow } from '../reports.ts'
import { vaults } from './containers.ts'

export const REPORTS: ReportsRow = {
  filters: filtersOf(listCloudBReportContents, [
    { name: 'key_vault', label: 'Vault' },
    { name: 'tenant', label: 'Tenant' },
  ]),
  place: [
    { name: 'cloud_b_params/0/key_vault', label: 'Vault', isRequired: true, choices: vaults },
    {
      ...{ name: 'cloud_b_params/0/log_workspace_id', label: 'Log workspace', isRequired: true, when: isOfUses },
      hint: 'The id of the workspace that the vault writes its log to.',
    },
    { name: 'cloud_b_params/0/subscription_id', label: 'Subscription', hint: 'Where it is not that of the vault.' },
  ],
}
