interface ChoiceProps {
  label: string;
  options: string[];
  value: string;
  onChoose(option: string): void;
}

/** A choice with its name. */
export function Choice({ label, options, value, onChoose }: ChoiceProps) {
  return (
    <label className="choice">
      {label}
      <select value={value} onChange={(event) => onChoose(event.target.value)}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}
