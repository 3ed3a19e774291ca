// The sign of the product.

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" />
      <path d="M8 16.5l5.5 5.5L24 11" />
    </svg>
  );
}
