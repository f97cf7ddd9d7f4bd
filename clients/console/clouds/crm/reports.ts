import { filtersOf } from '../../list/filters.tsx'
import type { ReportsRow } from '../reports.ts'
import { organizations } from './containers.ts'
import { listCrmReportContents } from './described.ts'

export const REPORTS: ReportsRow = {
  filters: filtersOf(listCrmReportContents, [
    { name: 'organization', label: 'Organization' },
    { name: 'type', label: 'Type' },
    { name: 'tenant', label: 'Id of the organization at the cloud' },
  ]),
  place: [{ name: 'crm_params/0/organization_id', label: 'Organization', isRequired: true, choices: organizations }],
}
