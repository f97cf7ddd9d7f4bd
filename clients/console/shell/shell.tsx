import { Route, Router } from 'preact-iso'
import { PAGES } from '../routes.ts'
import { NotFound } from '../words/states.tsx'
import { Header } from './header.tsx'
import { Toasts } from './toasts.tsx'
import { Welcome } from './welcome.tsx'

/** The frame of every page. */
export function Shell() {
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header />
      <Welcome />
      <main id="main" tabIndex={-1}>
        <Router>
          {PAGES.map(({ path, component }) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route default component={NotFound} />
        </Router>
      </main>
      <Toasts />
    </>
  )
}
