import { useState } from 'preact/hooks'
import { isUnreachable } from '../../../sdk/problem.ts'
import { BusyButton } from '../../forms/buttons.tsx'
import { curlOf } from '../../forms/curl.ts'
import { save } from '../../forms/files.ts'
import { reportsOf, type Report } from '../../clouds/reports.ts'
import type { CloudRow } from '../../clouds/row.ts'
import { keymgr } from '../../service.ts'
import { tell } from '../../shell/toasts.tsx'

/**
 * Downloads a report as a file. A report that exceeds the size of an answer is in an object store at another address,
 * which the page must not call; then the call can be copied for a shell.
 */
export function Download({ of, report }: { readonly of: CloudRow; readonly report: Report }) {
  const [isBusy, setBusy] = useState(false)
  const download = async (): Promise<void> => {
    const call = reportsOf(of).download(report.id)
    setBusy(true)
    try {
      const { body } = await keymgr.request(call.method, call.path, call.init)
      if (typeof body !== 'string') throw new TypeError('The report is no text')
      save({ name: `${report.name}.csv`, type: 'text/csv', text: body })
      tell('The report is downloaded.')
    } catch (error) {
      if (!isUnreachable(error)) return tell(error instanceof Error ? error.message : String(error))
      await navigator.clipboard.writeText(curlOf(call, location.origin).replace(/^curl/, 'curl -L'))
      tell('The report is too long for this page. A call that downloads it is copied for a shell.')
    } finally {
      setBusy(false)
    }
  }
  return (
    <BusyButton
      class="main"
      title="Download CSV"
      busyTitle="Downloading …"
      isBusy={isBusy}
      onClick={() => void download()}
    />
  )
}
