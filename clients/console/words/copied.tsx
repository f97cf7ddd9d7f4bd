import { useEffect, useState } from 'preact/hooks'
import { capitalized } from './texts.ts'

/** The sign that the text is copied stays this long. */
const SAID_MS = 1_500

/** UUIDs, other ids of 16 hex digits or more, ARNs, URIs of records, paths and addresses. */
const ID =
  /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{16,}|local\|[\w-]+|(?:arn|keymgr|https?|ocid1)[:.]\S+|\S+(?:\/\S+){2,})$/i

/** Whether people copy a value rather than read it. */
export const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

/** An id with a button that copies it, where the browser lets a page copy. */
export function WithCopy({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = window.setTimeout(() => setCopied(false), SAID_MS)
    return () => window.clearTimeout(timer)
  }, [isCopied])
  // A host without TLS has no clipboard: the text can be selected.
  if (!('clipboard' in navigator)) return <>{text}</>
  const said = isCopied ? 'Copied' : 'Copy'
  return (
    <span class="with-copy">
      {text}{' '}
      <button
        type="button"
        class="copy"
        aria-label={said}
        title={said}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {isCopied ? '✓' : '⧉'}
      </button>
    </span>
  )
}

interface BlockProps {
  /** what the text is, in a word */
  readonly what: string
  readonly text: string
}

/** A text with a button that copies it, where the browser allows that. */
export function CopiedBlock({ what, text }: BlockProps) {
  const [said, setSaid] = useState('')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied.')
    } catch {
      setSaid('Select the text and copy it.') // for example on a host without TLS
    }
  }
  return (
    <>
      <pre class="json" tabIndex={0} aria-label={capitalized(what)}>
        {text}
      </pre>
      <button type="button" class="plain" onClick={() => void copy()}>
        Copy the {what}
      </button>
      <p class="hint" role="status">
        {said}
      </p>
    </>
  )
}
