import { useEffect, useState } from 'preact/hooks'
import type { components } from '../../sdk/api.d.ts'
import type { Call } from '../calls.ts'
import { keymgr } from '../service.ts'
import { counted } from '../words/numbers.ts'
import { Failed, Loading } from '../words/states.tsx'

type Answer = components['schemas']['DryRun']

const WORDS: Readonly<Record<Answer['changes'][number]['action'], string>> = {
  create: 'New',
  update: 'Changed',
  delete: 'Deleted',
}

/** The same call, which changes nothing. */
const tried = ({ init, ...call }: Call): Call => ({
  ...call,
  init: { ...init, query: { ...init.query, dry_run: true } },
})

/**
 * Asks the service for the changes that a call would make: when it is drawn, and again at a click. For a call without a
 * dry run, the service answers with a sentence.
 */
export function DryRun({ call }: { readonly call: () => Call }) {
  const [found, setFound] = useState<'asked' | Answer | Error>('asked')
  const ask = async (): Promise<void> => {
    setFound('asked')
    try {
      const { method, path, init } = tried(call())
      setFound((await keymgr.request(method, path, init)).body as Answer) // the described answer
    } catch (error) {
      setFound(error instanceof Error ? error : new Error(String(error)))
    }
  }
  useEffect(() => void ask(), [])
  return (
    <div class="uses dry-run" role="group" aria-label="Dry run">
      <button type="button" class="plain" aria-disabled={found === 'asked'} onClick={() => void ask()}>
        What would change?
      </button>
      {found === 'asked' && <Loading what="Asking" />}
      {found instanceof Error && <Failed error={found} />}
      {typeof found === 'object' && !(found instanceof Error) && <Changes {...found} />}
    </div>
  )
}

function Changes({ changes, uses, applications, continues }: Answer) {
  return (
    <div role="status">
      <p>Nothing has changed. The call would have these effects:</p>
      <ul class="plain-list">
        {changes.map(({ action, resource_uri: uri, resource_name: name }) => (
          <li key={`${action} ${uri}`}>
            <b>{WORDS[action]}</b> {name === '' ? uri : name}
          </li>
        ))}
        {uses.map(({ kind, count, names }) => (
          <li key={kind}>
            <b>{counted(count, kind)}</b> {names.length > 0 && `(${names.join(', ')})`} use these keys
          </li>
        ))}
        {applications.map(({ endpoint_id: endpoint, caller, calls, last_day }) => (
          <li key={`${endpoint} ${caller}`}>
            <b>{caller === '' ? 'Unnamed callers' : caller}</b> made {counted(calls, 'call')} in 90 days, the last on{' '}
            {last_day}
          </li>
        ))}
        {continues && <li>Calls to the cloud or further work would follow.</li>}
      </ul>
    </div>
  )
}
