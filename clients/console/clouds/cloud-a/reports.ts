import { listCloudAReportContents } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { isOfUses, type ReportsRow } from '../reports.ts'
import { kmsNames, regionsOf } from './containers.ts'

export const REPORTS: ReportsRow = {
  filters: filtersOf(listCloudAReportContents, [
    { name: 'kms', label: 'KMS' },
    { name: 'key_arn', label: 'ARN' },
    { name: 'account_id', label: 'Account' },
  ]),
  place: [
    {
      ...{ name: 'cloud_a_params/0/kms', label: 'KMS', isRequired: true },
      choices: kmsNames,
    },
    {
      ...{ name: 'cloud_a_params/0/region', label: 'Region', dependsOn: ['cloud_a_params/0/kms'] },
      choices: (values) => regionsOf(values['cloud_a_params/0/kms']),
    },
    {
      ...{ name: 'cloud_a_params/0/log_group', label: 'Log group', isRequired: true, when: isOfUses },
      ...{ dependsOn: ['cloud_a_params/0/kms', 'cloud_a_params/0/region'] },
      hint: 'That the trail of the account writes to.',
    },
  ],
}
