import { auditRecord, OWN_WORK } from '../../../http/audit/record.ts'
import { auditRecords } from '../../../http/audit/store.ts'
import type { Changes } from '../../../store/changes.ts'
import { NAME } from '../name.ts'
import type { DatacustKey } from './model.ts'

/** A key as its record or an answer describes it. */
type Described = Pick<DatacustKey, 'uri' | 'datacust_group_name' | 'datacust_param'>

const sortedText = (operations: readonly string[]): string => [...operations].sort().join()

/** Stages a warning in the audit records when the cloud gave a key other operations than it was asked for. */
export function noticeOtherOperations(
  changes: Changes,
  domain: string,
  { uri, datacust_group_name, datacust_param: { name, operations } }: Described,
  asked: readonly string[],
  now: Date,
): void {
  if (sortedText(operations) === sortedText(asked)) return
  const record = auditRecord(domain, now, {
    severity: 'warning',
    service: NAME,
    message: 'Notice Other Operations',
    success: true,
    details: {
      action: 'notice-other-operations',
      resource_uri: uri,
      resource_name: name,
      before: { operations: asked },
      after: { group: datacust_group_name, operations },
    },
    ...OWN_WORK,
  })
  changes.create(auditRecords, domain, record)
}
