import { memberOf } from '../answers.ts'
import { useRoute } from 'preact-iso'
import { AddPage } from '../forms/add-page.tsx'
import { cloudNamed } from '../clouds.ts'
import { reportsOf, REPORT_TYPES } from '../clouds/reports.ts'
import { HOME } from '../home.ts'
import { NotFound } from '../words/states.tsx'

/** Creates a report on keys of one place. */
export default function AddReport() {
  const of = cloudNamed(useRoute().params.cloud)
  if (of === undefined) return <NotFound />
  const list = `${HOME}reports/${of.name}`
  return (
    <AddPage
      key={of.name}
      title="Make a report"
      about="Lists uses of keys from the log of the cloud, ages of keys, calls to this service, or how records and the cloud differ."
      list={list}
      listTitle={`${of.title} reports`}
      fields={[
        { name: 'name', label: 'Name', isRequired: true },
        {
          ...{ name: 'report_type', label: 'Kind', isRequired: true, initial: 'key-report' },
          choices: Object.entries(REPORT_TYPES).map(([value, label]) => ({ value, label })),
        },
        ...of.reports.place,
        { name: 'start_time', label: 'From', kind: 'day', hint: 'At midnight, UTC; a day before its end without.' },
        { name: 'end_time', label: 'To', kind: 'day', hint: 'At midnight, UTC; now without.' },
      ]}
      call={reportsOf(of).create}
      done="The report is being made."
      next={(answer) => `${list}/${memberOf(answer, 'id')}`}
    />
  )
}
