import { useState } from 'preact/hooks'
import type { Call } from '../calls.ts'
import { addressOf, curlOf } from './curl.ts'

interface PreviewProps {
  /** secrets are replaced by their names */
  readonly call: Call
  /** number of similar calls that follow, one per further row */
  readonly more?: number
}

/**
 * The call of a change, ready to copy to a shell. Where the browser does not allow a page to copy, the call is shown.
 */
export function CallPreview({ call, more = 0 }: PreviewProps) {
  const [said, setSaid] = useState('')
  const [isShown, setShown] = useState(false)
  const curl = curlOf(call, location.origin)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(curl)
      setSaid('Copied. Set TOKEN before you run it.')
    } catch {
      setShown(true) // for example on a host without TLS
    }
  }
  return (
    <div class="call" role="group" aria-label="API call">
      <div class="line">
        <code class="address">
          <b>{call.method.toUpperCase()}</b> /api{addressOf(call)}
        </code>
        <button type="button" class="plain" onClick={() => void copy()}>
          Copy as curl
        </button>
      </div>
      {call.init.body !== undefined && (
        <pre tabIndex={0} aria-label="Body of the call">
          {JSON.stringify(call.init.body, undefined, 2)}
        </pre>
      )}
      {isShown && (
        <pre tabIndex={0} aria-label="Command">
          {curl}
        </pre>
      )}
      <p class="hint" role="status">
        {said}
      </p>
      {more > 0 && <p class="hint">The same call is made for {more} more.</p>}
    </div>
  )
}
