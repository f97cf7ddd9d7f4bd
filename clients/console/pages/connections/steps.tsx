/** The steps from a cloud to its keys. */
const STEPS = ['Cloud', 'Credentials', 'Containers', 'Read keys'] as const

/** Shows where the user is. On a phone, only the present step is shown. @param here number of the present step */
export function Steps({ here }: { readonly here: number }) {
  return (
    <ol class="steps" aria-label={`Step ${here} of ${STEPS.length}`}>
      {STEPS.map((title, at) => (
        <li key={title} class={at + 1 < here ? 'done' : ''} aria-current={at + 1 === here ? 'step' : undefined}>
          <span class="number" aria-hidden="true">
            {at + 1 < here ? '✓' : at + 1}
          </span>{' '}
          {title}
        </li>
      ))}
    </ol>
  )
}
