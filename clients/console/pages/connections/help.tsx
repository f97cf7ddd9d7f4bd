import type { HelpBlock } from '../../connections/row.ts'
import { CopiedBlock } from '../../words/copied.tsx'

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
          {block.copy !== undefined && <CopiedBlock what="policy" text={block.copy} />}
        </section>
      ))}
    </aside>
  )
}
