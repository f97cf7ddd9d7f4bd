import { useState } from 'preact/hooks'
import type { HelpBlock } from '../../connections/row.ts'

/** Explanations beside a form. */
export function Help({ blocks }: { readonly blocks: readonly HelpBlock[] }) {
  return (
    <aside class="help" aria-label="Help">
      {blocks.map((block) => (
        <section key={block.title}>
          <h2>{block.title}</h2>
          <ol>
            {block.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          {block.copy !== undefined && <Copied what="policy" text={block.copy} />}
        </section>
      ))}
    </aside>
  )
}

interface CopiedProps {
  /** what the text is, in a word */
  readonly what: string
  readonly text: string
}

/** A text with a button that copies it, where the browser allows that. */
export function Copied({ what, text }: CopiedProps) {
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
      <pre class="json" tabIndex={0} aria-label={what.charAt(0).toUpperCase() + what.slice(1)}>
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
